import type { Section } from './corpus.js';
import { pick } from './random.js';

/** A clause that many contracts have, with terms of its own in each. */
interface ClauseKind {
  readonly heading: string;
  readonly terms: readonly [string, ...string[]];
  readonly text: (term: string, counterparty: string) => string;
  /** Asks for the term, naming the other party: only its contract can answer. */
  readonly question: (counterparty: string) => string;
  readonly answer: (term: string) => string;
}

const KINDS: readonly ClauseKind[] = [
  {
    heading: 'Payment',
    terms: ['14', '21', '30', '45', '60', '75'],
    text: (days, party) =>
      `Invoices of ${party} are payable within ${days} days of receipt. An amount that is disputed in good faith may be held back until the dispute is settled; the rest is paid on time.`,
    question: (party) => `Within how many days must invoices of ${party} be paid?`,
    answer: (days) => `payable within ${days} days of receipt`,
  },
  {
    heading: 'Term and renewal',
    terms: ['12', '18', '24', '36', '48', '60'],
    text: (months, party) =>
      `The agreement with ${party} runs for ${months} months from its signature. It is renewed for a year at a time unless one of the parties ends it in writing three months before.`,
    question: (party) => `How long does the agreement with ${party} run?`,
    answer: (months) => `runs for ${months} months from its signature`,
  },
  {
    heading: 'Limitation of liability',
    terms: ['50', '100', '125', '150', '200', '300'],
    text: (percent, party) =>
      `${party} is liable for at most ${percent} percent of what was paid in the twelve months before the damage. The limit does not hold for intent, gross negligence and injury to persons.`,
    question: (party) => `What is the cap on the liability of ${party}?`,
    answer: (percent) => `at most ${percent} percent of what was paid`,
  },
  {
    heading: 'Termination for breach',
    terms: ['10', '15', '20', '30', '40'],
    text: (days, party) =>
      `A party may end the agreement at once when the other does not cure a material breach within ${days} days of a written warning. Work that ${party} has done until then is paid.`,
    question: (party) => `How many days does ${party} have to cure a material breach?`,
    answer: (days) => `within ${days} days of a written warning`,
  },
  {
    heading: 'Confidentiality',
    terms: ['two', 'three', 'five', 'seven', 'ten'],
    text: (years, party) =>
      `What ${party} learns about the business of the client is kept secret for ${years} years after the end of the agreement. Copies are returned or destroyed on request.`,
    question: (party) => `For how many years after the end must ${party} keep our secrets?`,
    answer: (years) => `kept secret for ${years} years after the end`,
  },
  {
    heading: 'Insurance',
    terms: ['one million', 'two million', 'three million', 'five million'],
    text: (amount, party) =>
      `${party} keeps liability insurance of at least ${amount} for each event and shows the certificate once a year.`,
    question: (party) => `How much liability insurance must ${party} carry?`,
    answer: (amount) => `at least ${amount} for each event`,
  },
  {
    heading: 'Governing law',
    terms: ['the Netherlands', 'Norway', 'Sweden', 'Switzerland', 'Austria', 'Scotland'],
    text: (country, party) =>
      `The law of ${country} applies between the parties. Disputes with ${party} go to mediation first and to the courts of its capital afterwards.`,
    question: (party) => `Which law applies to the agreement with ${party}?`,
    answer: (country) => `The law of ${country} applies`,
  },
];

/** A clause as it stands in one contract. */
export interface WrittenClause extends Section {
  readonly question: string;
  readonly answer: string;
}

/** The clauses of one contract, each with terms drawn for it. */
export const drawClauses = (random: () => number, counterparty: string): WrittenClause[] =>
  KINDS.map((kind) => {
    const term = pick(random, kind.terms);
    return {
      heading: kind.heading,
      text: kind.text(term, counterparty),
      question: kind.question(counterparty),
      answer: kind.answer(term),
    };
  });
