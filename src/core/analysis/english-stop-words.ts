/**
 * Words that carry grammar and no subject: articles, pronouns, auxiliaries, prepositions, conjunctions and question words.
 * Deliberately without words that name something in engineering text (`new`, `first`, `up`, `down`, `off`, `same`, `own`, `id`).
 */
export const ENGLISH_STOP_WORDS: ReadonlySet<string> = new Set(
  [
    'a an the this that these those',
    'i me my we us our you your he him his she her it its they them their there here',
    'am is are was were be been being do does did doing have has had having',
    'can could will would shall should may might must cannot',
    'and or but if then than so nor as because while',
    'of at by for with about into to from in on',
    'what which who whom whose when where why how',
    'not no such some any each both very too also just only',
    'dont doesnt didnt isnt arent wasnt werent cant couldnt wont wouldnt shouldnt hasnt havent hadnt',
    'im ive youre weve were theyre thats whats',
  ]
    .join(' ')
    .split(' '),
);
