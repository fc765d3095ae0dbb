module example.org/tides

go 1.21
