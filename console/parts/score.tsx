import { aheadOf, differencesOf, type Hit, measuresOf, partsOf, signed } from '../text/score.js';

const BANDS = {
  strong: { name: 'strong', fill: 1 },
  possible: { name: 'possible', fill: 0.5 },
  weak: { name: 'weak', fill: 0 },
} as const;

/** How well it matches, as a word, a shape and a number. */
export function Band({ match, score }: { match: keyof typeof BANDS; score: number }) {
  const { name, fill } = BANDS[match];
  return (
    <span class="band">
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        <circle cx="6" cy="6" r="5" fill="none" stroke-width="1.5" />
        {fill === 0 ? null : (
          <path d={fill === 1 ? 'M6 1a5 5 0 1 1 0 10A5 5 0 0 1 6 1' : 'M6 1a5 5 0 0 0 0 10z'} />
        )}
      </svg>
      {name} <span class="number quiet">{score.toFixed(2)}</span>
    </span>
  );
}

/** The summands of a score as one bar; what takes from it hangs below. */
export function ScoreBar({ hit }: { hit: Hit }) {
  const parts = partsOf(hit);
  let at = 0;
  const bars = parts
    .filter(({ value }) => value > 0)
    .map((part) => {
      const x = at;
      at += part.value;
      return { ...part, x };
    });
  const width = Math.max(1, at);
  const label = parts.map(({ name, value }) => `${name} ${signed(value)}`).join(', ');
  let from = at;
  return (
    <svg
      class="score-bar"
      role="img"
      aria-label={`Score: ${label}`}
      viewBox={`0 0 ${width * 100} 8`}
      preserveAspectRatio="none"
    >
      <title>{label}</title>
      <rect class="ground" x="0" y="0" width={width * 100} height="5" />
      {bars.map(({ signal, value, x }) => (
        <rect
          key={signal}
          class={`signal ${signal}`}
          x={x * 100}
          y="0"
          width={Math.max(0, value * 100 - 0.4)}
          height="5"
        />
      ))}
      {parts
        .filter(({ value }) => value < 0)
        .map(({ signal, value }) => {
          from += value;
          return (
            <rect key={signal} class="signal less" x={from * 100} y="6" width={-value * 100} height="2" />
          );
        })}
    </svg>
  );
}

/** Why a passage stands where it does: its summands and measures beside those of the next one. */
export function WhyRank({ hit, next }: { hit: Hit; next: Hit | undefined }) {
  const differences = new Map(
    next === undefined ? [] : differencesOf(hit, next).map(({ signal, value }) => [signal, value]),
  );
  const others = new Map(next === undefined ? [] : measuresOf(next));
  const ahead = aheadOf(hit, next);
  return (
    <div class="why">
      {ahead === undefined ? null : <p>{ahead}</p>}
      <div class="scrolls">
        <table class="table">
          <caption class="unseen">What the score is made of</caption>
          <thead>
            <tr>
              <th scope="col">part of the score</th>
              <th scope="col" class="right">
                this one
              </th>
              {next === undefined ? null : (
                <th scope="col" class="right">
                  more than the next
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {partsOf(hit).map(({ signal, name, value }) => (
              <tr key={signal}>
                <th scope="row">
                  <span class={`key ${value < 0 ? 'less' : signal}`} aria-hidden="true" /> {name}
                </th>
                <td class="right">{signed(value)}</td>
                {next === undefined ? null : <td class="right">{signed(differences.get(signal) ?? 0)}</td>}
              </tr>
            ))}
            <tr class="sum">
              <th scope="row">score</th>
              <td class="right">{hit.score.toFixed(3)}</td>
              {next === undefined ? null : <td class="right">{signed(hit.score - next.score)}</td>}
            </tr>
          </tbody>
        </table>
        <table class="table">
          <caption class="unseen">What was measured</caption>
          <thead>
            <tr>
              <th scope="col">measured</th>
              <th scope="col" class="right">
                this one
              </th>
              {next === undefined ? null : (
                <th scope="col" class="right">
                  next one
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {measuresOf(hit).map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td class="right">{figure(value)}</td>
                {next === undefined ? null : <td class="right">{figure(others.get(name))}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

const figure = (value: number | undefined): string =>
  value === undefined ? '–' : value.toFixed(value > 9.995 ? 2 : 3);
