// Which `hearth` to start. Pure: what exists is asked of the caller.

import { delimiter, isAbsolute, join } from 'node:path';

export type Origin = 'setting' | 'bundled' | 'path';

export interface Found {
  origin: Origin;
  path: string;
}

export interface Missing {
  problem: string;
}

export interface Places {
  setting: string;
  extension: string; // the folder that this extension is installed in
  path: string; // PATH
  home: string;
  isProgram(path: string): boolean;
}

export function findServer(places: Places): Found | Missing {
  if (places.setting) {
    const path = places.setting.replace(/^~(?=\/)/, places.home);
    if (!isAbsolute(path)) return { problem: `The setting hearth.server.path is not an absolute path: ${places.setting}` };
    if (places.isProgram(path)) return { origin: 'setting', path };
    return { problem: `The setting hearth.server.path names no program that can be run: ${path}` };
  }
  const bundled = join(places.extension, 'server', 'bin', 'hearth');
  if (places.isProgram(bundled)) return { origin: 'bundled', path: bundled };
  for (const folder of places.path.split(delimiter)) {
    const path = join(folder, 'hearth');
    if (isAbsolute(folder) && places.isProgram(path)) return { origin: 'path', path };
  }
  return {
    problem:
      'Hearth has no program to run: this extension came without one for this machine, and there is no `hearth` on the PATH. ' +
      'Install Hearth, or name the program in the setting hearth.server.path.',
  };
}
