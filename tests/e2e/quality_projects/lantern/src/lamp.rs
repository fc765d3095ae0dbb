use std::time::Duration;

#[derive(Debug, Clone, PartialEq)]
pub struct Lamp {
    pub name: String,
    pub burning: bool,
    left: Duration,
}

#[derive(Debug, PartialEq)]
pub enum LampError {
    Broken(String),
    Empty,
}

impl Lamp {
    pub fn new(name: &str) -> Self {
        Lamp { name: name.to_string(), burning: false, left: Duration::ZERO }
    }

    pub fn light(&mut self, time: Duration) -> Result<(), LampError> {
        if time.is_zero() {
            return Err(LampError::Empty);
        }
        self.burning = true;
        self.left = self.left.max(time);
        Ok(())
    }

    pub fn pass(&mut self, time: Duration) {
        self.left = self.left.saturating_sub(time);
        if self.left.is_zero() {
            self.burning = false;
        }
    }
}
