import type { CompareResponse } from 'ragstone/client';
import { Scrolls } from '../../parts/scrolls.js';
import { countOf, shown } from '../../text/shown.js';
import { ComparedSearch, countsOf } from './compared-search.js';
import { type Settings, settingsWords } from './settings.js';

interface SetProps {
  readonly comparison: CompareResponse;
  readonly a: Settings;
  readonly b: Settings;
}

/** Below this a difference is hardly chance. */
const SIGNIFICANT = 0.05;

/** Two settings over a set of questions: the measures with their paired tests, then each question. */
export function ComparedSet({ comparison: { searches, scores }, a, b }: SetProps) {
  return (
    <div class="stack">
      <p class="small quiet">
        A: {settingsWords(a)}. B: {settingsWords(b)}.
      </p>
      {scores === undefined ? (
        <p class="note">
          No question of the set says which passage answers it (“gold”), so that none is scored.
        </p>
      ) : (
        <Metrics metrics={scores.metrics} />
      )}
      <ul class="stack">
        {searches.map((search) => (
          <li key={search.id} class="panel">
            <details>
              <summary>
                <bdi>{shown(search.question)}</bdi> <span class="small quiet">{countsOf(search)}</span>
              </summary>
              <ComparedSearch search={search} a={a} b={b} />
            </details>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Metrics({ metrics }: { metrics: NonNullable<CompareResponse['scores']>['metrics'] }) {
  return (
    <Scrolls class="panel" label="Measures">
      <table class="table wide">
        <thead>
          <tr>
            <th scope="col">measure</th>
            <th scope="col" class="right">
              A
            </th>
            <th scope="col" class="right">
              B
            </th>
            <th scope="col" class="right">
              B − A
            </th>
            <th scope="col" class="right">
              95 % interval
            </th>
            <th scope="col" class="right">
              p
            </th>
            <th scope="col" class="right">
              better / worse / even
            </th>
            <th scope="col">verdict</th>
          </tr>
        </thead>
        <tbody>
          {metrics.map(({ metric, a, b, difference, low, high, pValue, wins, losses, ties }) => (
            <tr key={metric}>
              <th scope="row">{metric}</th>
              <td class="right">{a.toFixed(3)}</td>
              <td class="right">{b.toFixed(3)}</td>
              <td class="right">{difference.toFixed(3)}</td>
              <td class="right">
                {low.toFixed(3)} to {high.toFixed(3)}
              </td>
              <td class="right">{pValue.toFixed(3)}</td>
              <td class="right">
                {countOf(wins)} / {countOf(losses)} / {countOf(ties)}
              </td>
              <td>
                {wins + losses === 0
                  ? 'the same'
                  : pValue >= SIGNIFICANT
                    ? 'may be chance'
                    : difference > 0
                      ? 'B is better'
                      : 'A is better'}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolls>
  );
}
