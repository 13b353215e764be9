import { Empty } from '../../parts/basics.js';
import { NotAllowed } from '../../parts/failure.js';
import type { Address } from '../../state/address.js';
import { may, useSession } from '../../state/session.js';
import { JudgedSet } from './judged-set.js';
import { QueryLog } from './query-log.js';

/** What was asked, what found nothing, and the question set that people's judgments make. */
export function QuestionsScreen({ address }: { address: Address }) {
  const session = useSession();
  if (!may(session, 'maintain')) return <NotAllowed what="The log of questions" permission="maintain" />;
  return (
    <div class="stack">
      <h1>Questions</h1>
      {session.caller.offers.queries ? (
        <QueryLog address={address} />
      ) : (
        <Empty title="Questions are not logged">
          <p>
            Switch the log on in the configuration of the service: <code>rag.audit.enabled: true</code>, and{' '}
            <code>rag.audit.text: true</code> for their words.
          </p>
        </Empty>
      )}
      {session.caller.offers.feedback ? (
        <JudgedSet />
      ) : (
        <Empty title="Judging is off">
          <p>
            Switch it on in the configuration of the service: <code>rag.feedback.enabled: true</code>. Then
            results have “relevant” and “not”, answers “good” and “bad”.
          </p>
        </Empty>
      )}
    </div>
  );
}
