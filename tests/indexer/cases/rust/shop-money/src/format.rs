pub fn cents() {}
