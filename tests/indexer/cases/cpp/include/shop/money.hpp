#pragma once
struct Money {
  long cents;
  Money plus(Money other) const;
};
bool operator==(const Money& a, const Money& b);
