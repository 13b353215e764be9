import { type Command, Option } from 'commander';
import type { TuneOptions, TuneReport } from '../../../index.js';
import type { CliContext } from '../context.js';
import { ExitCode } from '../errors.js';
import { evaluationTarget, withCounter } from '../evaluation-target.js';
import { choiceOption } from '../field-options.js';
import { wholeNumber } from '../parse-options.js';
import { plural } from '../render/text.js';
import type { ScopeOptions } from '../scope-options.js';

type TuneFlags = ScopeOptions &
  Omit<TuneOptions, 'target' | 'cwd' | 'configFile' | 'dataDir' | 'onProgress' | 'signal' | 'scope'> & {
    readonly write?: boolean;
  };

const EXAMPLES = `
Examples:
  $ ragstone tune docs --questions questions.jsonl           try fusion, weights, reranking, candidates and chunk sizes
  $ ragstone tune docs --questions questions.jsonl --write   and write the best into the configuration file, if it is a gain
  $ ragstone tune docs --feedback --source docs              on what people opened and judged, where there is enough of it
  $ ragstone tune docs --questions questions.jsonl --synonyms synonyms.txt   are the synonyms of a file worth keeping?
  $ ragstone tune data/scifact                               on the train split, where the data set has one

What is reported was measured on queries that had no part in the choice. A difference that chance explains is not called a
gain, and --write writes nothing then (exit code 1).`;

/** `ragstone tune DATASET` */
export function registerTune(program: Command, context: CliContext): void {
  program
    .command('tune')
    .description('find better settings on labelled questions of your own, and what they are really worth')
    .argument('<dataset>', 'folder of a data set; or, with --questions, a folder of documents')
    .option('--questions <file>', 'questions with gold quotes about the folder, one JSON object a line')
    .addOption(
      new Option(
        '--feedback',
        'questions that the feedback of the index makes ("ragstone feedback"), in place of a file',
      ).conflicts(['questions', 'split']),
    )
    .option('--source <name>', 'of --feedback: the source that the folder is (default: all)')
    .option('--split <name>', 'which judgments: qrels/NAME.tsv (default: train where it is there, else test)')
    .option('--metric <name>', 'what is made as large as possible (default: ndcg@10, or hit@5 of questions)')
    .option(
      '--embedder <model>',
      'builtin, onnx:PATH_OR_ID or transformers:PATH_OR_ID (default: the configured one)',
    )
    .option('--folds <n>', 'parts that are held out in turn (default: 5)', wholeNumber(2))
    .option('--seed <n>', 'of the splits and samples (default: 1)', wholeNumber(0))
    .option('--max-queries <n>', 'sample that many where there are more (default: 300)', wholeNumber(1))
    .addOption(
      new Option(
        '--synonyms <file>',
        'try the synonyms of a file, and nothing else, against the present settings',
      ),
    )
    .option('--no-chunking', 'leave the chunk sizes as they are')
    .option('--drop-self', 'leave out the document that the query was made from')
    .addOption(choiceOption('--score-by <what>', 'what makes a result right', ['id', 'text']))
    .option('--write', 'write the settings found into the configuration file, if they are a gain')
    .addHelpText('after', EXAMPLES)
    .action((dataset: string, flags: TuneFlags) => runTune(context, dataset, flags));
}

async function runTune(context: CliContext, dataset: string, flags: TuneFlags): Promise<void> {
  const { write = false, chunking, ...stated } = flags;
  // It is on by default, and other chunk sizes are nothing that feedback can judge.
  const options = stated.feedback === true || chunking === undefined ? stated : { ...stated, chunking };
  const { tune } = await import('../../../index.js');
  const target = await evaluationTarget(context, dataset, options);
  const report = await withCounter(context, (onProgress) => tune({ ...options, ...target, onProgress }));
  context.printNotices(report);
  const written = write && report.isGain ? await writeBest(context, report) : undefined;
  const { settingsToYaml } = await import('../../../config/write-settings.js');
  const yaml = settingsToYaml(report.best.settings);
  context.printResult({ ...report, yaml, ...(written === undefined ? {} : { written }) }, () =>
    renderTuning(report, { context, yaml }),
  );
  if (written !== undefined) context.note(`The settings are in ${written}.`);
  if (write && !report.isGain) {
    context.warn('Nothing was written: no gain was found.');
    context.exitCode = ExitCode.failed;
  }
}

async function writeBest(context: CliContext, { best }: TuneReport): Promise<string> {
  const { configFileToWrite, writeSettings } = await import('../../../config/write-settings.js');
  const file = await configFileToWrite(context.cwd, context.globals.config);
  await writeSettings(file, best.settings);
  return file;
}

/** How many of the folds' choices are shown. */
const SHOWN_CHOICES = 5;

/** What tuning found, what it is worth on held-out queries, and the settings to write. */
function renderTuning(
  report: TuneReport,
  { context, yaml }: { readonly context: CliContext; readonly yaml: string },
): string {
  const { dataset, split, metric, queries, folds, tried, current, best, heldOut, isGain, chosen } = report;
  const { bold, dim, green } = context.colours;
  const verdict = isGain
    ? green(`A gain: ${signed(heldOut.gain)} ${metric} on held-out queries.`)
    : `No gain that chance does not explain: keep the present settings. (${signed(heldOut.gain)} ${metric} on held-out queries.)`;
  const choices = chosen
    .slice(0, SHOWN_CHOICES)
    .map(({ name, share }) => `  ${Math.round(share * 100)} %  ${name}`);
  return [
    `${bold(`${dataset}, ${split}`)}: ${plural(queries, 'question')}, ${plural(tried, 'setting')} tried, ${folds} folds`,
    [
      `present settings      ${current.toFixed(4)}`,
      `chosen, held out      ${heldOut.mean.toFixed(4)}  95 % interval of the gain ${signed(heldOut.low)} to ${signed(heldOut.high)}, p ${heldOut.pValue.toFixed(4)}`,
      dim(`chosen, on its own queries ${best.mean.toFixed(4)} (too good to be true)`),
    ].join('\n'),
    verdict,
    [`The folds chose:`, ...choices].join('\n'),
    ...(isGain ? [`${bold('Best over all queries')}: ${best.name}\n\n${yaml.trimEnd()}`] : []),
    ...(isGain ? [dim('--write puts it into the configuration file.')] : []),
  ].join('\n\n');
}

const signed = (value: number): string => `${value < 0 ? '' : '+'}${value.toFixed(4)}`;
