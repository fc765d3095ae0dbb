function plain() {}
