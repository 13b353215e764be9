// Loading the rules of a locale takes longer than a search.
const BEFORE_THOUSANDS = /\B(?=(?:\d{3})+$)/g;

/** `1,234,567` */
export const formatCount = (count: number): string =>
  String(Math.round(count)).replaceAll(BEFORE_THOUSANDS, ',');
