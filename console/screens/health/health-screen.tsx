import type { Health } from 'ragstone/client';
import { Age, Columns } from '../../parts/basics.js';
import { Panel } from '../../parts/panel.js';
import { Scrolls } from '../../parts/scrolls.js';
import type { Address } from '../../state/address.js';
import { may, useSession } from '../../state/session.js';
import { useLoad } from '../../state/use-load.js';
import { shown, timeOf } from '../../text/shown.js';
import { Deployments, Parts } from './operator-panels.js';

/** Whether searches are answered and how well, and for operators the parts, tenants and keys. */
export function HealthScreen(_: { address: Address }) {
  const session = useSession();
  const { client, caller } = session;
  const isOperator = may(session, 'admin');
  const health = useLoad('health', (signal) => client.health({ signal }));
  return (
    <div class="stack">
      <header class="row spread">
        <h1>Health</h1>
        <button type="button" class="button" onClick={health.reload}>
          Ask again
        </button>
      </header>
      <Panel title="Service" load={health} what="the health">
        {(value) => <ServiceHealth health={value} />}
      </Panel>
      <section class="panel stack" aria-label="Your key">
        <h2>{caller.isLocal ? 'You, on this machine' : 'Your key'}</h2>
        <dl class="facts">
          <dt>name</dt>
          <dd>{shown(caller.name)}</dd>
          <dt>tenant</dt>
          <dd>{shown(caller.tenant)}</dd>
          <dt>project</dt>
          <dd>{caller.project === undefined ? 'all' : shown(caller.project)}</dd>
          <dt>groups</dt>
          <dd>
            {caller.groups.length === 0 ? 'none: what is for everyone' : caller.groups.map(shown).join(', ')}
          </dd>
          <dt>clearance</dt>
          <dd>{caller.clearance}</dd>
          <dt>may</dt>
          <dd>{caller.permissions.join(', ')}</dd>
        </dl>
      </section>
      {isOperator ? (
        <Operator />
      ) : (
        <p class="small quiet">
          Parts, stores, tenants and keys are for operators: a key with the permission “admin”.
        </p>
      )}
    </div>
  );
}

function Operator() {
  const { client, caller } = useSession();
  const parts = useLoad('parts', (signal) => client.partsHealth({ signal }));
  const keys = useLoad(caller.offers.keys ? 'keys' : undefined, (signal) => client.keys({ signal }));
  return (
    <>
      <Panel title="Parts and stores" load={parts} what="the parts">
        {(value) => <Parts health={value} />}
      </Panel>
      {caller.offers.deployments ? <Deployments /> : null}
      {caller.offers.keys ? (
        <Panel title="Keys" load={keys} what="the keys">
          {({ keys: known }) =>
            known.length === 0 ? (
              <p class="quiet">
                There is none: the user of this machine reads and writes. <code>ragstone keys create</code>{' '}
                makes one, and closes the service to all others.
              </p>
            ) : (
              <Scrolls label="Keys">
                <table class="table wide">
                  <Columns names={['name', 'tenant', 'groups', 'clearance', 'may', 'made', 'ends']} />
                  <tbody>
                    {known.map((key) => (
                      <tr key={key.id}>
                        <th scope="row">{shown(key.name ?? key.id)}</th>
                        <td>
                          {shown(key.project === undefined ? key.tenant : `${key.tenant} / ${key.project}`)}
                        </td>
                        <td>{key.groups.map(shown).join(', ')}</td>
                        <td>{key.clearance}</td>
                        <td>{key.permissions.join(', ')}</td>
                        <td>
                          <Age of={key.createdAt} />
                        </td>
                        <td>
                          {key.revokedAt === undefined ? (
                            key.expiresAt === undefined ? (
                              'never'
                            ) : (
                              timeOf(key.expiresAt)
                            )
                          ) : (
                            <span class="state off">
                              revoked <Age of={key.revokedAt} />
                            </span>
                          )}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </Scrolls>
            )
          }
        </Panel>
      ) : null}
    </>
  );
}

const LEVELS: Readonly<Record<number, string>> = {
  0: 'Searches have everything.',
  1: 'Searches lack the closer look of the reranker.',
  2: 'Searches are answered as they were before.',
  3: 'Searches find by words alone.',
  4: 'Searches are answered by static texts alone.',
  5: 'Retrieval is switched off.',
};

const STATUS = {
  healthy: { word: 'Healthy', class: 'state' },
  degraded: { word: 'Degraded', class: 'state warn' },
  unhealthy: { word: 'Unhealthy', class: 'state bad' },
} as const;

function ServiceHealth({ health: { status, degradationLevel, checks } }: { health: Health }) {
  const failed = Object.entries(checks).filter(([, state]) => state === 'failed');
  return (
    <>
      <p class="row">
        <strong class={STATUS[status].class}>{STATUS[status].word}</strong>
        <span>
          {degradationLevel === undefined ? 'No search is answered.' : (LEVELS[degradationLevel] ?? '')}
        </span>
      </p>
      <ul class="row">
        {Object.entries(checks).map(([part, state]) => (
          <li key={part} class={state === 'ok' ? 'state' : 'state bad'}>
            {shown(part)} <span class="unseen">{state}</span>
          </li>
        ))}
      </ul>
      {failed.length === 0 ? null : (
        <p class="note bad">
          Next step: on the machine of the service <code>ragstone doctor</code> says what is wrong with{' '}
          {failed.map(([part]) => part).join(', ')}, and what to do.
        </p>
      )}
    </>
  );
}
