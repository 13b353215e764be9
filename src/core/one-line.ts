/** A text with one blank in place of each run of blanks and line ends, and none around it. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
