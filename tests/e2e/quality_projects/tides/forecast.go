package tides

import (
	"fmt"
	"time"
)

type Forecast struct {
	Gauge  *Gauge
	Offset time.Duration
}

func (f Forecast) HighWater(from, to time.Time) (Reading, error) {
	readings := f.Gauge.Between(from, to)
	if len(readings) == 0 {
		return Reading{}, ErrNoReadings
	}
	highest := readings[0]
	for _, reading := range readings[1:] {
		if reading.Metres > highest.Metres {
			highest = reading
		}
	}
	highest.At = highest.At.Add(f.Offset)
	return highest, nil
}

func (f Forecast) Describe(day time.Time) string {
	highest, err := f.HighWater(day, day.AddDate(0, 0, 1))
	if err != nil {
		return fmt.Sprintf("%s: %v", f.Gauge.Name, err)
	}
	return fmt.Sprintf("%s: %.2f m at %s", f.Gauge.Name, highest.Metres, highest.At.Format("15:04"))
}
