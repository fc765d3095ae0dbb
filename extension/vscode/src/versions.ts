// Whether this extension and a server fit: the protocol between them may change with each minor version. Pure.

export function versionProblem(extension: string, server: string | undefined): string | undefined {
  if (server === undefined) return 'The server does not say its version: it is not hearth, or an old one.';
  const minor = (version: string) => version.split('.').slice(0, 2).join('.');
  if (minor(extension) === minor(server)) return undefined;
  return `The extension is version ${extension}, but the server ${server}: update the older of them.`;
}
