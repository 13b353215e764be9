import type { Section } from './corpus.js';
import { pick } from './random.js';

/** A policy that each tenant has, with rules of its own. */
interface PolicyKind {
  readonly id: string;
  readonly name: string;
  readonly tag: string;
  /** What the first rule is drawn from. */
  readonly terms: readonly [string, ...string[]];
  readonly sections: (term: string) => readonly Section[];
  readonly question: string;
  readonly answer: (term: string) => string;
}

const KINDS: readonly PolicyKind[] = [
  {
    id: 'remote-work',
    name: 'Remote Work Policy',
    tag: 'people',
    terms: ['15', '20', '30', '45'],
    sections: (days) => [
      {
        heading: 'From abroad',
        text: `Staff may work from another country for up to ${days} days in a calendar year, after the people team has checked tax and insurance.`,
      },
      {
        heading: 'Equipment',
        text: 'The company lends a screen and a chair. A private computer may not be used for company data.',
      },
    ],
    question: 'How many days a year may I work from another country?',
    answer: (days) => `up to ${days} days in a calendar year`,
  },
  {
    id: 'travel-expenses',
    name: 'Travel and Expenses Policy',
    tag: 'finance',
    terms: ['four', 'five', 'six', 'eight'],
    sections: (hours) => [
      {
        heading: 'Flights',
        text: `Flights of more than ${hours} hours may be booked in premium economy; all others in economy. Journeys that a train makes in five hours are made by train.`,
      },
      {
        heading: 'Receipts',
        text: 'Receipts are handed in within 30 days. Without a receipt at most 25 are paid back.',
      },
    ],
    question: 'From what flight time on may premium economy be booked?',
    answer: (hours) => `more than ${hours} hours may be booked in premium economy`,
  },
  {
    id: 'information-security',
    name: 'Information Security Policy',
    tag: 'security',
    terms: ['12', '14', '16', '18'],
    sections: (characters) => [
      {
        heading: 'Passwords',
        text: `A password has at least ${characters} characters and is kept in the password manager. It is changed only after an incident.`,
      },
      {
        heading: 'Screens',
        text: 'A screen locks itself after five minutes. Visitors never sit alone at a desk.',
      },
    ],
    question: 'What is the least length of a password?',
    answer: (characters) => `at least ${characters} characters`,
  },
  {
    id: 'records-retention',
    name: 'Records Retention Policy',
    tag: 'legal',
    terms: ['six', 'eight', 'ten', 'twelve'],
    sections: (years) => [
      {
        heading: 'How long',
        text: `Accounting vouchers are archived for ${years} years, applications of people who were not hired for four months.`,
      },
      {
        heading: 'Legal hold',
        text: 'When a lawsuit is to be expected, the legal team stops all deletion of the files in question.',
      },
    ],
    question: 'For how long are accounting vouchers archived?',
    answer: (years) => `Accounting vouchers are archived for ${years} years`,
  },
  {
    id: 'gifts',
    name: 'Gifts and Hospitality Policy',
    tag: 'compliance',
    terms: ['40', '50', '75', '100'],
    sections: (amount) => [
      {
        heading: 'Limit',
        text: `A present worth more than ${amount} is declined, or handed to compliance when that would offend.`,
      },
      {
        heading: 'Public officials',
        text: 'Officials are given nothing but coffee. Invitations to them are approved by the head of compliance.',
      },
    ],
    question: 'Up to what value may I accept a present from a supplier?',
    answer: (amount) => `A present worth more than ${amount} is declined`,
  },
  {
    id: 'parental-leave',
    name: 'Parental Leave Policy',
    tag: 'people',
    terms: ['14', '16', '20', '26'],
    sections: (weeks) => [
      {
        heading: 'Paid leave',
        text: `Each parent has ${weeks} weeks of fully paid leave for a newborn or adopted child, in up to three parts.`,
      },
      {
        heading: 'Return',
        text: 'For half a year after the return, part-time work of 60 percent is granted on request.',
      },
    ],
    question: 'How many weeks of paid leave does a new father have?',
    answer: (weeks) => `Each parent has ${weeks} weeks of fully paid leave`,
  },
  {
    id: 'artificial-intelligence',
    name: 'Policy on Artificial Intelligence',
    tag: 'security',
    terms: ['each week', 'every two weeks', 'each month', 'each quarter'],
    sections: (rhythm) => [
      {
        heading: 'Assistants',
        text: `Only assistants on the approved list may see internal text. The list is reviewed ${rhythm}.`,
      },
      {
        heading: 'Decisions about people',
        text: 'No machine decides alone about hiring, pay or dismissal.',
      },
    ],
    question: 'How often is the list of approved AI assistants reviewed?',
    answer: (rhythm) => `The list is reviewed ${rhythm}`,
  },
  {
    id: 'incident-response',
    name: 'Incident Response Policy',
    tag: 'security',
    terms: ['24', '36', '48', '72'],
    sections: (hours) => [
      {
        heading: 'Notification',
        text: `A leak of personal data is reported to the authority within ${hours} hours of its discovery.`,
      },
      {
        heading: 'Roles',
        text: 'The officer on duty leads until the head of security takes over. All steps are written down with their time.',
      },
    ],
    question: 'How soon is the authority told about leaked personal data?',
    answer: (hours) => `reported to the authority within ${hours} hours`,
  },
  {
    id: 'whistleblowing',
    name: 'Speak Up Policy',
    tag: 'compliance',
    terms: ['five', 'seven', 'ten', 'fourteen'],
    sections: (days) => [
      {
        heading: 'Reports',
        text: `Whoever reports misconduct, also without a name, hears from the ombudsperson within ${days} days.`,
      },
      {
        heading: 'Protection',
        text: 'Nobody may be dismissed or moved for a report that was made in good faith.',
      },
    ],
    question: 'When do I hear back after I reported misconduct anonymously?',
    answer: (days) => `hears from the ombudsperson within ${days} days`,
  },
  {
    id: 'procurement',
    name: 'Procurement Policy',
    tag: 'finance',
    terms: ['10,000', '15,000', '25,000', '50,000'],
    sections: (amount) => [
      {
        heading: 'Offers',
        text: `Purchases above ${amount} need three offers from different vendors, compared in writing.`,
      },
      {
        heading: 'Signatures',
        text: 'Two people sign every order: one from the team that needs it, one from finance.',
      },
    ],
    question: 'From which amount on do I need three offers?',
    answer: (amount) => `Purchases above ${amount} need three offers`,
  },
];

/** A policy as one tenant wrote it. */
export interface WrittenPolicy {
  readonly id: string;
  readonly name: string;
  readonly tag: string;
  readonly sections: readonly Section[];
  readonly question: string;
  readonly answer: string;
}

/** The policies of one tenant, with rules drawn for it. */
export const drawPolicies = (random: () => number): WrittenPolicy[] =>
  KINDS.map(({ id, name, tag, terms, sections, question, answer }) => {
    const term = pick(random, terms);
    return { id, name, tag, sections: sections(term), question, answer: answer(term) };
  });
