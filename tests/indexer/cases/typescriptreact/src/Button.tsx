export const Button = ({ label }: { label: string }) => <button>{label}</button>;
