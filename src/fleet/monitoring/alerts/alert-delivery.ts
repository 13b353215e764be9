import { messageOf } from '../../../core/errors.js';
import { type Runtime, runtime } from '../../../core/runtime.js';
import type { Alert } from './alert.js';
import type { AlertChannel } from './alert-channels.js';

/** Wait after the first try that failed, in milliseconds; it doubles from try to try. */
const FIRST_PAUSE_MS = 250;
/** No wait is longer: a channel that answers again is told within a minute. */
export const LONGEST_PAUSE_MS = 60_000;
/** After so many tries the console is told, and a stop waits no longer. */
const TRIES = 4;

/** What is said of an alert that a channel was not told. */
export interface DeliveryReport {
  /** After each try that failed. */
  onFailure(channel: AlertChannel['type']): void;
  /** Takes a line for the console. */
  warn(problem: string): void;
}

/**
 * Tells one channel its alerts, in their order: one that it could not be told is tried again, and what comes after it waits. So no channel hears that
 * something is over before it hears that it began. Where a condition holds again before the channel heard of the time before, that time is left out:
 * no more than three alerts of a condition wait.
 */
export class AlertDelivery {
  readonly #channel: AlertChannel;
  readonly #report: DeliveryReport;
  readonly #runtime: Runtime = runtime();
  #waiting: Alert[] = [];
  #told: Alert | undefined;
  #running: Promise<void> | undefined;
  #failures = 0;
  #isStopping = false;
  #endPause = (): void => undefined;

  constructor(channel: AlertChannel, report: DeliveryReport) {
    this.#channel = channel;
    this.#report = report;
  }

  /** Has it told where it is severe enough. */
  add(alert: Alert): void {
    if (!this.#channel.takes(alert)) return;
    if (alert.state === 'raised') this.#leaveOutEarlier(alert);
    this.#waiting.push(alert);
    this.#running ??= this.#run();
  }

  /** Tells what waits, and gives up what cannot be told in a few tries. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#failures = 0;
    this.#endPause();
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let alert = this.#waiting[0]; alert !== undefined; alert = this.#waiting[0]) {
      const failure = await this.#try(alert);
      if (failure === undefined) continue;
      this.#failures += 1;
      this.#report.onFailure(this.#channel.type);
      const isGivenUp = this.#isStopping && this.#failures >= TRIES;
      if (isGivenUp || this.#failures === TRIES)
        this.#report.warn(
          `the alert ${alert.alert} (${alert.state}) could not be told by ${this.#channel.type}: ${failure}${isGivenUp ? '' : ' It is tried again.'}`,
        );
      if (isGivenUp) break;
      await this.#pause(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#failures - 1)));
    }
    // At once, so that what is added next begins anew.
    this.#running = undefined;
  }

  /** Why it could not be told, where it could not. */
  async #try(alert: Alert): Promise<string | undefined> {
    this.#told = alert;
    try {
      await this.#channel.tell(alert);
      this.#waiting.shift();
      this.#failures = 0;
      return undefined;
    } catch (error) {
      return messageOf(error);
    } finally {
      this.#told = undefined;
    }
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#runtime.setTimer(resolve, milliseconds, { isBackground: true });
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }

  /** The channel heard nothing of what begins with a waiting `raised`, but where it is being told now. */
  #leaveOutEarlier({ alert: name }: Alert): void {
    const isUntold = ({ alert, state }: Alert): boolean => alert === name && state === 'raised';
    const first = this.#waiting.findIndex((alert) => isUntold(alert) && alert !== this.#told);
    if (first < 0) return;
    this.#waiting = this.#waiting.filter((alert, i) => i < first || alert.alert !== name);
    this.#report.warn(
      `the alert ${name} held and ended before ${this.#channel.type} could be told, and holds again.`,
    );
  }
}
