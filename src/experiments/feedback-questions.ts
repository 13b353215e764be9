import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { RAGError } from '../core/errors.js';
import { LOCAL_SCOPE } from '../core/scope.js';
import { openEngine } from '../engine/create-engine.js';
import { formatQuestionSet } from '../evaluation/question-set.js';
import type { FeedbackJudgments } from '../operations/feedback-judgments.js';
import type { EvaluateOptions } from './experiment-types.js';

/** Which feedback is asked. */
export interface FeedbackQuestionsOptions
  extends Pick<EvaluateOptions, 'target' | 'configFile' | 'cwd' | 'env' | 'dataDir' | 'scope' | 'signal'> {
  /** Name of the source that the evaluated folder is. @default all */
  readonly source?: string | undefined;
  /** Questions that are needed. */
  readonly least: number;
}

/**
 * Does work with a file of questions that the feedback of the user's own index makes. The file goes when the work ends.
 *
 * @throws RAGError `USAGE` where there is too little feedback, saying how much is missing; `FEEDBACK_OFF`
 */
export async function withFeedbackQuestions<T>(
  {
    source,
    least,
    scope = LOCAL_SCOPE,
    signal,
    target,
    cwd,
    env,
    configFile,
    dataDir,
  }: FeedbackQuestionsOptions,
  work: (questions: string, judgments: FeedbackJudgments) => Promise<T>,
): Promise<T> {
  const { engine, resources } = await openEngine({ cwd, env, configFile, dataDir });
  let judgments: FeedbackJudgments;
  try {
    const folder = folderOf(resolve(cwd ?? '.', target), resources.config.projectRoot);
    const judge = (within: string | undefined) =>
      engine.as(scope).feedbackJudgments({ source, signal, folder: within });
    judgments = await judge(folder);
    // The source may be the folder itself, so that its paths begin there.
    if (folder !== undefined && judgments.questions.length === 0) judgments = await judge(undefined);
  } finally {
    await engine.close();
  }
  if (judgments.questions.length < least) throw tooLittle(judgments, least);
  const folder = await mkdtemp(join(tmpdir(), 'ragstone-feedback-'));
  try {
    const file = join(folder, 'feedback.jsonl');
    await writeFile(file, formatQuestionSet(judgments.questions));
    return await work(file, judgments);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** How paths of results begin for documents of a folder of the project. */
function folderOf(target: string, projectRoot: string): string | undefined {
  const path = relative(projectRoot, target);
  return path === '' || path.startsWith('..') || isAbsolute(path) ? undefined : path.split(sep).join('/');
}

function tooLittle({ questions: { length }, counts }: FeedbackJudgments, least: number): RAGError {
  const { questions, tooFew, gone } = counts;
  return new RAGError(
    'USAGE',
    `The feedback judges ${length === 1 ? '1 question' : `${length} questions`} and ${least} are needed: ${least - length} more. Of ${questions === 1 ? '1 question' : `${questions} questions`} with feedback ${tooFew} ${tooFew === 1 ? 'has' : 'have'} fewer than 3 clicks and no verdict, and ${gone} passages that people called relevant are not in what is judged. \`ragstone feedback judgments\` shows what there is.`,
    { details: { questions: length, needed: least, missing: least - length } },
  );
}
