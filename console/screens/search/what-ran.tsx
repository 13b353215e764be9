import type { ExplainResponse } from 'ragstone/client';
import { CopyMenu, Worded } from '../../parts/basics.js';
import { useSession } from '../../state/session.js';
import { type AskedSearch, asCommand, asCurl, asMcpCall } from '../../text/copy-as.js';
import { countOf, millisecondsOf, shown } from '../../text/shown.js';
import { LANES } from '../../text/steps.js';

const STATES = {
  ran: { word: 'ran', class: 'state' },
  empty: { word: 'found nothing', class: 'state off' },
  off: { word: 'off', class: 'state off' },
  failed: { word: 'failed', class: 'state bad' },
} as const;

/** Which ways of searching ran, which were off or late and why, and how long each step took. */
export function WhatRan({ found, search }: { found: ExplainResponse; search: AskedSearch }) {
  const { caller } = useSession();
  const base = new URL('.', location.href).href;
  return (
    <div class="panel stack">
      <header class="row spread">
        <h2>What ran</h2>
        <span class="number quiet small">{millisecondsOf(found.tookMs)}</span>
      </header>
      <ul class="lanes">
        {found.lanes.map(({ lane, status, reason, candidates, tookMs }) => (
          <li key={lane}>
            <span class={STATES[status].class}>{LANES[lane] ?? lane}</span>
            <span class="quiet small number">
              {status === 'ran' ? `${countOf(candidates)} in ${millisecondsOf(tookMs)}` : STATES[status].word}
            </span>
            {reason === undefined || status === 'ran' ? null : (
              <p class="small quiet">
                <Worded text={reason} />
              </p>
            )}
          </li>
        ))}
      </ul>
      <Stages stages={found.stages} tookMs={found.tookMs} />
      <Understood found={found} />
      {found.plan === undefined ? null : (
        <p class="small">
          Plan “{found.plan.name}”
          {found.plan.leftOut.length === 0 ? '' : `; left out: ${found.plan.leftOut.join(', ')}`}
        </p>
      )}
      <div>
        <CopyMenu
          entries={[
            ['Command', () => asCommand(search)],
            ['curl', () => asCurl(search, { base, needsKey: !caller.isLocal })],
            ['MCP call', () => asMcpCall(search)],
          ]}
        />
      </div>
    </div>
  );
}

/** Milliseconds of each step, as bars of one scale. Lanes run side by side, so that steps may sum up to more than the whole. */
function Stages({ stages, tookMs }: { stages: ExplainResponse['stages']; tookMs: number }) {
  const known = Object.entries(stages).flatMap(([name, ms]) => (ms === undefined ? [] : [{ name, ms }]));
  const most = Math.max(1, ...known.map(({ ms }) => ms));
  if (known.length === 0) return null;
  return (
    <table class="stages">
      <caption class="unseen">Milliseconds of each step, of {millisecondsOf(tookMs)} in all</caption>
      <tbody>
        {known.map(({ name, ms }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="bar">
              <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
                <rect width={Math.max(0.8, (ms / most) * 100)} height="6" />
              </svg>
            </td>
            <td class="number">{millisecondsOf(ms)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Understood({ found: { understanding } }: { found: ExplainResponse }) {
  if (understanding === undefined) return null;
  const { intent, keywords, expansions } = understanding;
  return (
    <details class="small">
      <summary>Understood as {intent}</summary>
      <p>
        words that count: <b>{keywords.length === 0 ? 'none' : keywords.map(shown).join(', ')}</b>
      </p>
      {expansions.map(({ kind, text, reason }) => (
        <p key={kind + text}>
          {kind}: {shown(text)} <span class="quiet">({shown(reason)})</span>
        </p>
      ))}
    </details>
  );
}
