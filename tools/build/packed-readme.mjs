// What a README says about a clone is of no use in the package, and its links would lead nowhere there.
const FOR_A_CLONE = /<!-- in a clone: begin -->\n.*?<!-- in a clone: end -->\n\n?/gs;

/** The README as the package holds it. */
export const packedReadme = (text) => text.replaceAll(FOR_A_CLONE, '');
