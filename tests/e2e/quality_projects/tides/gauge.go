// Package tides reads gauges and tells when the water is high.
package tides

import (
	"errors"
	"time"
)

var ErrNoReadings = errors.New("the gauge has no readings")

type Reading struct {
	At     time.Time
	Metres float64
}

type Gauge struct {
	Name     string
	readings []Reading
}

func NewGauge(name string) *Gauge {
	return &Gauge{Name: name}
}

func (g *Gauge) Add(at time.Time, metres float64) {
	g.readings = append(g.readings, Reading{At: at, Metres: metres})
}

func (g *Gauge) Latest() (Reading, error) {
	if len(g.readings) == 0 {
		return Reading{}, ErrNoReadings
	}
	return g.readings[len(g.readings)-1], nil
}

func (g *Gauge) Between(from, to time.Time) []Reading {
	var found []Reading
	for _, reading := range g.readings {
		if !reading.At.Before(from) && reading.At.Before(to) {
			found = append(found, reading)
		}
	}
	return found
}
