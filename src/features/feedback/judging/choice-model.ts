/** Equal lists of one question, with the clicks on each place summed up. */
export interface ClickedList {
  /** By rank from 0: which item of the question stands there; undefined where nobody knows. */
  readonly items: readonly (number | undefined)[];
  /** By rank from 0. */
  readonly clicks: readonly number[];
}

/** A question: how many items its lists show, and the lists. */
export interface ClickedQuestion {
  readonly items: number;
  readonly lists: readonly ClickedList[];
}

/** Examination that is believed before a click is seen: 1 / rank, as Joachims, Swaminathan and Schnabel (WSDM 2017) take it in their simulations. */
export const priorExamination = (rank: number): number => 1 / rank;

/** Clicks that the prior of a rank counts as much as. */
const PRIOR_CLICKS = 10;
const MOST_ROUNDS = 500;
/** Rounds go on while a rank changes by more than this share. */
const SETTLED = 1e-4;

/**
 * How likely each rank is looked at, by the clicks on items that were shown at several ranks. The model is that of positions (Craswell, Zoeter, Taylor and
 * Ramsey, WSDM 2008; Wang et al., WSDM 2018): P(click) = examination of the rank x attraction of the item. Given how many clicks a list got,
 * a click is then a choice among its places in the shares e(rank) a(item), and both factors are fitted by
 * minorisation and maximisation (Hunter 2004). That condition has two merits: a list on which nobody clicked adds nothing, so it does not matter
 * whether callers report those; and where a question was only ever shown in one order, any examination fits, so that good rankings are not taken for
 * bias, as they are where one relevance for all is assumed. What is left then is the prior.
 *
 * @param ranks how many ranks are estimated
 * @returns by rank from 0, as a share of the first
 */
export function fitExamination(questions: readonly ClickedQuestion[], ranks: number): number[] {
  const prior = Array.from({ length: ranks }, (_, rank) => priorExamination(rank + 1));
  let examination = [...prior];
  const attractions = questions.map((question) => startOf(question));
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const clicks = new Float64Array(ranks);
    const expected = new Float64Array(ranks);
    questions.forEach((question, at) => {
      const attraction = fitAttraction(question, examination, { from: attractions[at], rounds: 1 });
      attractions[at] = attraction;
      for (const list of question.lists) addRanks(list, attraction, { examination, clicks, expected });
    });
    const next = prior.map((believed, rank) => {
      const counted = (clicks[rank] ?? 0) + PRIOR_CLICKS;
      return counted / ((expected[rank] ?? 0) + PRIOR_CLICKS / believed);
    });
    const change = next.map((value, rank) => Math.abs(value / (examination[rank] ?? 1) - 1));
    examination = next;
    if (Math.max(...change) < SETTLED) break;
  }
  const first = examination[0] ?? 1;
  return examination.map((value) => value / first);
}

/** Clicks on a rank, and what multiplied by its examination the model expects. */
function addRanks(
  { items, clicks }: ClickedList,
  attraction: Float64Array,
  sums: {
    readonly examination: readonly number[];
    readonly clicks: Float64Array;
    readonly expected: Float64Array;
  },
): void {
  const all = clicks.reduce((sum, count) => sum + count, 0);
  const total = items.reduce<number>(
    (sum, item, rank) => sum + attractionOf(item, attraction) * (sums.examination[rank] ?? 0),
    0,
  );
  if (all === 0 || total === 0) return;
  items.forEach((item, rank) => {
    sums.clicks[rank] = (sums.clicks[rank] ?? 0) + (clicks[rank] ?? 0);
    sums.expected[rank] = (sums.expected[rank] ?? 0) + (all * attractionOf(item, attraction)) / total;
  });
}

const attractionOf = (item: number | undefined, attraction: Float64Array): number =>
  item === undefined ? 0 : (attraction[item] ?? 0);

const startOf = ({ items }: ClickedQuestion): Float64Array => new Float64Array(items).fill(1);

export interface AttractionOptions {
  /** Where the fit starts. @default all alike */
  readonly from?: Float64Array | undefined;
  /** @default 100 */
  readonly rounds?: number;
  /** Looks that each item is believed to have had already, with the mean attraction of the question. @default 0 */
  readonly priorLooks?: number;
}

/**
 * How attractive each item of a question is once it is looked at, as a share of the most attractive one: its clicks over the looks that it had. For one order of
 * items this is the estimate by inverse propensity (Joachims, Swaminathan and Schnabel 2017); for several it weighs each by the looks it gave.
 */
export function fitAttraction(
  question: ClickedQuestion,
  examination: readonly number[],
  { from, rounds = 100, priorLooks = 0 }: AttractionOptions = {},
): Float64Array {
  const clicks = clicksByItem(question);
  let attraction = from ?? startOf(question);
  for (let round = 0; round < rounds; round++) {
    const looks = looksByItem(question, examination, attraction);
    const mean = attraction.reduce((sum, value) => sum + value, 0) / question.items;
    attraction = attraction.map((_, item) => {
      const had = (looks[item] ?? 0) + priorLooks;
      return had === 0 ? 0 : ((clicks[item] ?? 0) + priorLooks * mean) / had;
    });
    const most = Math.max(...attraction);
    if (most > 0) attraction = attraction.map((value) => value / most);
  }
  return attraction;
}

/** Clicks on each item of a question. */
export function clicksByItem({ items, lists }: ClickedQuestion): Float64Array {
  const clicks = new Float64Array(items);
  for (const list of lists)
    list.items.forEach((item, rank) => {
      if (item !== undefined) clicks[item] = (clicks[item] ?? 0) + (list.clicks[rank] ?? 0);
    });
  return clicks;
}

/** Looks that each item had, in units in which the model expects as many clicks as there were. */
function looksByItem(
  { items, lists }: ClickedQuestion,
  examination: readonly number[],
  attraction: Float64Array,
): Float64Array {
  const looks = new Float64Array(items);
  for (const list of lists) {
    const all = list.clicks.reduce((sum, count) => sum + count, 0);
    const total = list.items.reduce<number>(
      (sum, item, rank) => sum + attractionOf(item, attraction) * (examination[rank] ?? 0),
      0,
    );
    if (all === 0 || total === 0) continue;
    list.items.forEach((item, rank) => {
      if (item !== undefined) looks[item] = (looks[item] ?? 0) + (all * (examination[rank] ?? 0)) / total;
    });
  }
  return looks;
}
