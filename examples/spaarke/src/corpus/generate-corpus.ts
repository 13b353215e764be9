import { drawClauses } from './clauses.js';
import { CONTRACTS, type ContractFacts } from './contracts.js';
import { type Corpus, type CorpusDocument, type CorpusQuestion, TENANTS } from './corpus.js';
import { drawPolicies } from './policies.js';
import { seededRandom } from './random.js';

/** The corpus of the README's figures. */
export const SEED = 20_251_229;

/** Questions that no document answers, whatever the scope. */
const UNANSWERED = [
  'What does the helicopter charter to the oil platform cost?',
  'Which dentist does the company health plan recommend?',
  'When was the football team of the trainees founded?',
  'How do I reset the alarm of the swimming pool?',
] as const;

/**
 * 66 contracts and policies of three tenants, with 114 questions. All text is written for this example; what varies is drawn with
 * the seed, so the same seed always gives the same corpus.
 */
export function generateCorpus(seed = SEED): Corpus {
  const random = seededRandom(seed);
  const parts = TENANTS.map((tenant) => [...contractsOf(tenant, random), ...policiesOf(tenant, random)]);
  const written = parts.flat();
  return {
    documents: written.map(({ document }) => document),
    questions: [...written.flatMap(({ questions }) => questions), ...unanswered()],
  };
}

type Tenant = (typeof TENANTS)[number];

interface Written {
  readonly document: CorpusDocument;
  readonly questions: readonly CorpusQuestion[];
}

const contractsOf = (tenant: Tenant, random: () => number): Written[] =>
  CONTRACTS[tenant.id].map((facts, index) => {
    const { counterparty, kind, clause, text } = facts;
    const drawn = drawClauses(random, counterparty);
    const asked = drawn[index % drawn.length];
    const document: CorpusDocument = {
      tenantId: tenant.id,
      documentId: `contract-${slugOf(counterparty)}`,
      documentName: `${kind}: ${counterparty}`,
      documentType: 'contract',
      tags: ['contract', slugOf(kind)],
      sections: [parties(tenant, facts), ...drawn, { heading: clause, text }],
    };
    return {
      document,
      questions: [facts, asked].flatMap((fact) => (fact === undefined ? [] : [questionOf(document, fact)])),
    };
  });

const policiesOf = (tenant: Tenant, random: () => number): Written[] =>
  drawPolicies(random).map((policy) => {
    const document: CorpusDocument = {
      tenantId: tenant.id,
      documentId: `policy-${policy.id}`,
      documentName: policy.name,
      documentType: 'policy',
      tags: ['policy', policy.tag],
      sections: [
        { heading: 'Scope', text: `This policy holds for everyone who works for ${tenant.name}.` },
        ...policy.sections,
      ],
    };
    return { document, questions: [questionOf(document, policy)] };
  });

const parties = ({ name }: Tenant, { counterparty, subject }: ContractFacts) => ({
  heading: 'Parties and subject',
  text: `This agreement is made between ${name} (the client) and ${counterparty}. Its subject is ${subject}.`,
});

const questionOf = (
  { tenantId, documentId }: CorpusDocument,
  { question, answer }: { readonly question: string; readonly answer: string },
): CorpusQuestion => ({ tenantId, question, documentId, answer });

const unanswered = (): CorpusQuestion[] =>
  TENANTS.flatMap(({ id }) =>
    UNANSWERED.map((question) => ({ tenantId: id, question, documentId: undefined })),
  );

const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
