package tides

import "time"

type Alarm struct {
	Forecast Forecast
	Limit    float64
}

func (a Alarm) Rings(now time.Time) bool {
	latest, err := a.Forecast.Gauge.Latest()
	if err != nil {
		return false
	}
	if latest.Metres > a.Limit {
		return true
	}
	highest, err := a.Forecast.HighWater(now, now.Add(6*time.Hour))
	if err != nil {
		return false
	}
	return highest.Metres > a.Limit
}

func Ringing(alarms []Alarm, now time.Time) []string {
	var names []string
	for _, alarm := range alarms {
		if alarm.Rings(now) {
			names = append(names, alarm.Forecast.Gauge.Name)
		}
	}
	return names
}
