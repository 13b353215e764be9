/** What a build is made of, as one hash. */
export function fingerprint(root: string): string;
/** Written into a build when it is whole. */
export function markBuilt(dist: string, state: string): void;
export function isBuiltOf(dist: string, state: string): boolean;
