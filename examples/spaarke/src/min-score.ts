/**
 * What matches less is left out of what this example shows. The document's default is 0.5, of Azure's score; of Ragstone's it hides right passages
 * that say the same in other words, and most contracts for "What are the payment terms for contracts?" (README, "The threshold").
 */
export const MIN_SCORE = 0.12;
