pub struct Item(pub u32);
