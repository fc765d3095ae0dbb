// Where a setting has to be written so that it takes effect: values of a workspace, a folder or a language go before
// the user's own. Pure.

export type Scope = 'global' | 'workspace' | 'folder';

// As VS Code's `WorkspaceConfiguration.inspect` tells it.
export interface Inspected<T> {
  defaultValue?: T;
  globalValue?: T;
  workspaceValue?: T;
  workspaceFolderValue?: T;
  defaultLanguageValue?: T;
  globalLanguageValue?: T;
  workspaceLanguageValue?: T;
  workspaceFolderLanguageValue?: T;
}

export interface Write<T> {
  scope: Scope;
  isOfLanguage: boolean; // of the language at hand alone
  value: T | undefined; // undefined: no value of its own
}

interface Place {
  key: keyof Inspected<unknown>;
  scope: Scope | undefined; // undefined: cannot be written
  isOfLanguage: boolean;
}

// The first that has a value counts.
const PLACES: Place[] = [
  { key: 'workspaceFolderLanguageValue', scope: 'folder', isOfLanguage: true },
  { key: 'workspaceLanguageValue', scope: 'workspace', isOfLanguage: true },
  { key: 'globalLanguageValue', scope: 'global', isOfLanguage: true },
  { key: 'defaultLanguageValue', scope: undefined, isOfLanguage: true },
  { key: 'workspaceFolderValue', scope: 'folder', isOfLanguage: false },
  { key: 'workspaceValue', scope: 'workspace', isOfLanguage: false },
  { key: 'globalValue', scope: 'global', isOfLanguage: false },
  { key: 'defaultValue', scope: undefined, isOfLanguage: false },
];
const WIDTH: Record<Scope, number> = { folder: 0, workspace: 1, global: 2 };

function firstOf<T>(inspected: Inspected<T>, isAmong: (place: Place) => boolean = () => true): Place | undefined {
  return PLACES.find((place) => isAmong(place) && inspected[place.key] !== undefined);
}

function valueAt<T>(inspected: Inspected<T>, place: Place | undefined): T | undefined {
  return place && inspected[place.key];
}

export function effective<T>(inspected: Inspected<T>): T | undefined {
  return valueAt(inspected, firstOf(inspected));
}

// What counts where the language has no value of its own.
export function ofAllLanguages<T>(inspected: Inspected<T>): T | undefined {
  return valueAt(inspected, firstOf(inspected, ({ isOfLanguage }) => !isOfLanguage));
}

export function ofLanguage<T>(inspected: Inspected<T>): T | undefined {
  return valueAt(inspected, firstOf(inspected, ({ isOfLanguage }) => isOfLanguage));
}

export function scopeOf<T>(inspected: Inspected<T>): Scope {
  return firstOf(inspected)?.scope ?? 'global';
}

// A value in place of the one that counts, where that one stands.
export function writeAtOrigin<T>(inspected: Inspected<T>, value: T): Write<T> {
  return { scope: scopeOf(inspected), isOfLanguage: firstOf(inspected)?.isOfLanguage ?? false, value };
}

// A value for all of a scope: what says otherwise within it goes, and the value itself is written only where it would
// not count without that.
export function writesFor<T>(inspected: Inspected<T>, wanted: Scope, value: T): Write<T>[] {
  const left = { ...inspected };
  for (const { key, scope } of PLACES) {
    if (scope && WIDTH[scope] <= WIDTH[wanted] && left[key] !== value) delete left[key];
  }
  for (const isOfLanguage of [false, true]) {
    const own = PLACES.find((place) => place.scope === wanted && place.isOfLanguage === isOfLanguage);
    const counts = isOfLanguage ? effective(left) : ofAllLanguages(left);
    if (own && counts !== value) left[own.key] = value;
  }
  return PLACES.flatMap(({ key, scope, isOfLanguage }) =>
    scope && left[key] !== inspected[key] ? [{ scope, isOfLanguage, value: left[key] }] : [],
  );
}

// The language's own values go wherever they are not this one.
export function writesForLanguage<T>(inspected: Inspected<T>, value: T): Write<T>[] {
  return PLACES.flatMap(({ key, scope, isOfLanguage }) => {
    if (!isOfLanguage || inspected[key] === undefined || inspected[key] === value) return [];
    return scope ? { scope, isOfLanguage, value: undefined } : { scope: 'global' as const, isOfLanguage, value };
  });
}
