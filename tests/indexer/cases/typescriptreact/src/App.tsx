import React from "react";
import { Button } from "./Button";

interface Props { title: string }

/** The page. */
export function App({ title }: Props) {
  return <Button label={title} />;
}
export const Wrapped = React.memo(App);
