use std::time::Duration;

use crate::lamp::{Lamp, LampError};

pub struct Path {
    lamps: Vec<Lamp>,
    step: Duration,
}

impl Path {
    pub fn new(names: &[&str], step: Duration) -> Self {
        Path { lamps: names.iter().map(|name| Lamp::new(name)).collect(), step }
    }

    pub fn walk(&mut self, at: usize) -> Result<(), LampError> {
        let step = self.step;
        let lamp = self.lamps.get_mut(at).ok_or(LampError::Broken(format!("no lamp {at}")))?;
        lamp.light(step * 3)?;
        if let Some(next) = self.lamps.get_mut(at + 1) {
            next.light(step)?;
        }
        Ok(())
    }

    pub fn wait(&mut self, time: Duration) {
        for lamp in self.lamps.iter_mut() {
            lamp.pass(time);
        }
    }

    pub fn burning(&self) -> Vec<&str> {
        self.lamps.iter().filter(|lamp| lamp.burning).map(|lamp| lamp.name.as_str()).collect()
    }
}
