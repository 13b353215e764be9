/** Tenants whose documents have the same names. */
export const TENANTS = ['a', 'b'] as const;

/** By tenant and name, the number of the last version; below 0 where it was deleted. */
export type Versions = Readonly<Record<string, number>>;

/** What a process is told that begins. */
export interface State {
  readonly versions: Versions;
  /** Documents of which a change was begun and never acknowledged, so that it may be done or not: by the highest number that they had. */
  readonly unsure: Versions;
}

export type Line =
  | { readonly kind: 'ready' }
  | { readonly kind: 'begun' | 'acknowledged'; readonly key: string; readonly version: number }
  | { readonly kind: 'failed'; readonly key: string; readonly version: number; readonly why: string }
  | { readonly kind: 'searched'; readonly isFailover: boolean; readonly level: number }
  | { readonly kind: 'wrong'; readonly what: string }
  | { readonly kind: 'ended'; readonly changes: number };

/** A word that stands in one version of one document alone. */
export const wordOf = (key: string, version: number): string =>
  `zq${key.replaceAll(/[^a-z0-9]/g, '')}v${version}x`;

export const textOf = (key: string, version: number): string =>
  `${wordOf(key, version)} is the beacon of tenant-${key.split('/')[0]}-only. The keeper wrote it down at dusk.`;
