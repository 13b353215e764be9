import { useState } from 'preact/hooks';
import { useSession } from '../state/session.js';
import { useKeys } from '../state/use-keys.js';
import { asServiceError } from '../state/use-load.js';

/** Whether a place is relevant, said by one key or click and stored with what was shown. */
export function Verdict({
  requestId,
  rank,
  isChosen,
}: {
  requestId: string;
  rank: number;
  isChosen: boolean;
}) {
  const { client } = useSession();
  const [said, setSaid] = useState<boolean | undefined>(undefined);
  const [problem, setProblem] = useState('');
  const say = (isRelevant: boolean): void => {
    setSaid(isRelevant);
    setProblem('');
    client
      .sendFeedback({ requestId, ...(isRelevant ? { relevant: [rank] } : { notRelevant: [rank] }) })
      .catch((cause: unknown) => {
        setSaid(undefined);
        setProblem(asServiceError(cause).message);
      });
  };
  useKeys(isChosen ? { r: () => say(true), n: () => say(false) } : {});
  return (
    <fieldset class="row verdict" aria-label={`Is result ${rank} relevant?`}>
      <button type="button" class="button plain" aria-pressed={said === true} onClick={() => say(true)}>
        relevant
      </button>
      <button type="button" class="button plain" aria-pressed={said === false} onClick={() => say(false)}>
        not
      </button>
      {problem === '' ? null : (
        <span role="alert" class="small">
          Not stored: {problem}
        </span>
      )}
    </fieldset>
  );
}
