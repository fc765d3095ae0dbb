export const format = (value: unknown): string => String(value);
