export function total() {}
