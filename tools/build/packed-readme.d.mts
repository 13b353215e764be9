/** The README as the package holds it. */
export function packedReadme(text: string): string;
