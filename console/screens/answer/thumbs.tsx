import { useState } from 'preact/hooks';
import { useSession } from '../../state/session.js';
import { asServiceError } from '../../state/use-load.js';

/** Whether an answer is good, stored with what was shown. */
export function Thumbs({ requestId }: { requestId: string }) {
  const { client } = useSession();
  const [said, setSaid] = useState<'good' | 'bad' | undefined>(undefined);
  const [problem, setProblem] = useState('');
  const say = (answer: 'good' | 'bad'): void => {
    setSaid(answer);
    setProblem('');
    client.sendFeedback({ requestId, answer }).catch((cause: unknown) => {
      setSaid(undefined);
      setProblem(asServiceError(cause).message);
    });
  };
  return (
    <fieldset class="row verdict" aria-label="Is the answer good?">
      <button type="button" class="button plain" aria-pressed={said === 'good'} onClick={() => say('good')}>
        Good
      </button>
      <button type="button" class="button plain" aria-pressed={said === 'bad'} onClick={() => say('bad')}>
        Bad
      </button>
      <span role="status" class="small quiet">
        {said === undefined ? '' : 'Stored'}
      </span>
      {problem === '' ? null : (
        <span role="alert" class="small">
          Not stored: {problem}
        </span>
      )}
    </fieldset>
  );
}
