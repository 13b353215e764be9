import type { PartsHealth } from 'ragstone/client';
import { Age } from '../../parts/basics.js';
import { Panel } from '../../parts/panel.js';
import { useSession } from '../../state/session.js';
import { useLoad } from '../../state/use-load.js';
import { countOf, shown } from '../../text/shown.js';

/** Each part that all tenants share, and the stores that are kept in step. */
export function Parts({ health: { parts, stores } }: { health: PartsHealth }) {
  return (
    <>
      <ul class="stack">
        {parts.map(({ part, ok, detail }) => (
          <li key={part}>
            <span class={ok ? 'state' : 'state bad'}>{shown(part)}</span>{' '}
            <span class="small quiet">{shown(detail)}</span>
          </li>
        ))}
      </ul>
      {stores === undefined ? null : (
        <>
          <ul class="stack">
            {stores.stores.map(({ name, isActive, state, lag, detail, since }) => (
              <li key={name}>
                <span
                  class={
                    state === 'ready'
                      ? 'state'
                      : state === 'out' || state === 'foreign'
                        ? 'state bad'
                        : 'state warn'
                  }
                >
                  {shown(name)}
                  {isActive ? ' (asked first)' : ''}: {state}
                </span>{' '}
                <span class="small quiet">
                  {lag === 0 ? '' : `lacks ${countOf(lag)} writes; `}
                  {detail === undefined ? '' : shown(detail)} <Age of={since} />
                </span>
              </li>
            ))}
          </ul>
          <p class="small quiet">
            Journal: {countOf(stores.journal.writes)} writes, {countOf(stores.journal.bytes)} of{' '}
            {countOf(stores.journal.maxBytes)} bytes
          </p>
        </>
      )}
    </>
  );
}

/** Where the documents of tenants are, and which of these answer. */
export function Deployments() {
  const { client } = useSession();
  const load = useLoad('deployments', (signal) => client.deploymentHealth({ signal }));
  return (
    <Panel title="Tenants with an index of their own" load={load} what="the deployments">
      {({ deployments }) =>
        deployments.length === 0 ? (
          <p class="quiet">None: all tenants share the index of this service.</p>
        ) : (
          <ul class="stack">
            {deployments.map(({ deploymentId, tenantId, model, ok, detail }) => (
              <li key={deploymentId}>
                <span class={ok ? 'state' : 'state bad'}>{shown(tenantId ?? deploymentId)}</span>{' '}
                <span class="small quiet">
                  {model ?? ''} {shown(detail)}
                </span>
              </li>
            ))}
          </ul>
        )
      }
    </Panel>
  );
}
