import type { SeededRandom } from './seeded-random.js';

/** What goes wrong in a run, and how often: probabilities for each call, or mean milliseconds from one to the next. */
export interface Faults {
  /** A call takes as long as a slow one. */
  readonly slow: number;
  /** The other side never hears of a call. */
  readonly lost: number;
  /** A call is done and its answer is lost. */
  readonly unanswered: number;
  /** A call is sent and done twice. */
  readonly doubled: number;
  readonly disk: number;
  /** A folder cannot be listed this once. */
  readonly folders: number;
  /** A file is seen while it is being written. */
  readonly torn: number;
  readonly service: number;
  /** At a call that writes the process stands still for longer than its leases hold. */
  readonly pauses: number;
  /** Processes stand still at this call alone: what follows it then takes an old answer for a young one. */
  readonly pausesAt?: 'renew' | 'release listing' | undefined;
  /** At such a call the process ends. */
  readonly crashes: number;
  /** A batch that is added to the queue is lost. */
  readonly forgotten: number;
  /** Milliseconds between deaths of a process. */
  readonly deaths: number;
  /** Milliseconds between times in which a process does nothing for longer than its leases hold. */
  readonly sleeps: number;
  /** Milliseconds between losses of the connection that holds a lock. */
  readonly cuts: number;
  /** Milliseconds between times in which an engine is closed. */
  readonly stops: number;
  /** Milliseconds between times in which a source cannot be reached. */
  readonly outages: number;
  /** Milliseconds between times in which the queue forgets everything, or does not answer. */
  readonly queue: number;
  /** Share of the calls that are cancelled by who made them. */
  readonly cancelled: number;
}

export const NO_FAULTS: Faults = {
  ...{ slow: 0, lost: 0, unanswered: 0, doubled: 0, disk: 0, torn: 0, service: 0, cancelled: 0 },
  ...{ folders: 0, pauses: 0, crashes: 0, forgotten: 0 },
  ...{
    deaths: Infinity,
    sleeps: Infinity,
    cuts: Infinity,
    stops: Infinity,
    outages: Infinity,
    queue: Infinity,
  },
};

const SECOND = 1_000;

/**
 * Each kind of fault is there or not, so that some runs meet one alone and others all at once: what one kind hides another shows
 * (A. Groce et al., "Swarm Testing", 2012).
 */
export function chosenFaults(random: SeededRandom): Faults {
  // Who stands still once cannot stand still elsewhere: in some worlds it is always right after a lease was looked at, or a listing given up.
  const pausesAt = random.pick(['renew', 'release listing', undefined] as const);
  const maybe = (fault: number, otherwise = 0): number => (random.chance(0.5) ? fault : otherwise);
  return {
    slow: maybe(0.02),
    lost: maybe(0.003),
    unanswered: maybe(0.003),
    doubled: maybe(0.02),
    disk: maybe(0.005),
    torn: maybe(0.3),
    service: maybe(0.02),
    folders: maybe(0.05),
    pauses:
      pausesAt !== undefined ? random.between(0.2, 0.6) : random.chance(0.75) ? random.between(0.05, 0.2) : 0,
    pausesAt,
    crashes: maybe(random.between(0.005, 0.03)),
    forgotten: maybe(0.1),
    deaths: maybe(random.between(10, 60) * SECOND, Infinity),
    sleeps: maybe(random.between(10, 60) * SECOND, Infinity),
    cuts: maybe(30 * SECOND, Infinity),
    stops: maybe(40 * SECOND, Infinity),
    outages: maybe(20 * SECOND, Infinity),
    queue: maybe(15 * SECOND, Infinity),
    cancelled: maybe(0.1),
  };
}
