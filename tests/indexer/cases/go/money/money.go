package money

type Money int64
