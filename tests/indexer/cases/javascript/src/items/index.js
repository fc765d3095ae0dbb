export const add = () => 1;
export const remove = () => 1;
export default {};
