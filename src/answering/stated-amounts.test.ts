import { describe, expect, it } from 'vitest';
import { checkSupport, SUPPORT_THRESHOLD } from './check-support.js';
import { readEvidence } from './support-features.js';

const scoreOf = (source: string, claim: string): number => checkSupport(claim, readEvidence([source])).score;

describe.each<[string, readonly (readonly [source: string, claim: string])[]]>([
  [
    'of another sign',
    [
      [
        'The samples are frozen at -20 °C before they are shipped.',
        'The samples are frozen at 20 °C before they are shipped.',
      ],
      ['The sensor works from −40 to 85 degrees.', 'The sensor works from 40 to 85 degrees.'],
      ['The freezer is kept at minus 18 degrees.', 'The freezer is kept at 18 degrees.'],
      ['The gauge reads 20 degrees below zero.', 'The gauge reads 20 degrees.'],
      ['The exit code is -1 when the disk is full.', 'The exit code is 1 when the disk is full.'],
      ['The balance was -300 dollars at the end of May.', 'The balance was 300 dollars at the end of May.'],
      ['The outdoor unit works down to –25 °C.', 'The outdoor unit works down to 25 °C.'],
      ['The signal level is -70 dBm in the lobby.', 'The signal level is 70 dBm in the lobby.'],
      ['Growth was -3 % in the last quarter.', 'Growth was 3 % in the last quarter.'],
      ['The gain is set to 12 dB.', 'The gain is set to -12 dB.'],
      ['The offset of the clock is +5 ms.', 'The offset of the clock is -5 ms.'],
    ],
  ],
  [
    'of another currency',
    [
      ['The monthly plan costs €50 for each seat.', 'The monthly plan costs $50 for each seat.'],
      ['The monthly plan costs €50 for each seat.', 'The monthly plan costs £50 for each seat.'],
      ['The monthly plan costs 50 euros for each seat.', 'The monthly plan costs 50 dollars for each seat.'],
      ['The fine is $1,200.', 'The fine is €1,200.'],
      ['The fine is 300 euros for each case.', 'The fine is 300 pounds for each case.'],
      ['The license costs USD 99 a year.', 'The license costs EUR 99 a year.'],
      ['The license costs 99€ a year.', 'The license costs $99 a year.'],
      ['The budget is €2M.', 'The budget is $2M.'],
      ['The deposit is fifty euros.', 'The deposit is fifty dollars.'],
      ['The fee is ¥500 for each copy.', 'The fee is $500 for each copy.'],
    ],
  ],
  [
    'of another date',
    [
      ['Version 4 was released on 2026-05-01.', 'Version 4 was released on 2026-01-05.'],
      ['Version 4 was released on 2026-05-01.', 'Version 4 was released on 5 January 2026.'],
      ['The contract ends on March 4, 2025.', 'The contract ends on 2025-04-03.'],
      ['The outage began at 2025-06-07T08:10:00Z.', 'The outage began at 2025-07-06T08:10:00Z.'],
      ['The bug was reported on 03/07/2025.', 'The bug was reported on 07/03/2025.'],
      ['The audit is due on 12.10.2026.', 'The audit is due on 10.12.2026.'],
      ['The keys expire on Oct 9, 2026.', 'The keys expire on Sep 10, 2026.'],
      ['The keys expire on the 9th of October.', 'The keys expire on the 10th of September.'],
      ['Support for version 3 ended on 2024-12-01.', 'Support for version 3 ended on 2024-01-12.'],
      ['The release is planned for 2 November 2026.', 'The release is planned for 11 February 2026.'],
    ],
  ],
  [
    'of another proportion',
    [
      [
        'Mix the resin and the hardener at a ratio of 1:4.',
        'Mix the resin and the hardener at a ratio of 4:1.',
      ],
      ['The screen has a ratio of 16:9.', 'The screen has a ratio of 9:16.'],
      ['Dilute the acid 1:10 with water.', 'Dilute the acid 10:1 with water.'],
      ['The vote was 7:2 for the proposal.', 'The vote was 2:7 for the proposal.'],
      ['Two thirds of the members must vote for it.', 'One third of the members must vote for it.'],
      ['Three quarters of the users are on mobile.', 'One quarter of the users are on mobile.'],
      ['A third of the budget goes to travel.', 'A quarter of the budget goes to travel.'],
      ['Half of the nodes must agree.', 'A third of the nodes must agree.'],
      ['Two fifths of the answers were wrong.', 'One fifth of the answers were wrong.'],
      ['Two-thirds of the board approved it.', 'One-third of the board approved it.'],
      ['The fee is 2.5 %.', 'The fee is 2.5 ‰.'],
    ],
  ],
  [
    'of another time of day',
    [
      ['The shop opens at 09:00 and has 8 tills.', 'The shop opens at 08:00.'],
      ['The shop opens at 09:00. There are 8 tills.', 'The shop opens at 08:00.'],
      ['The desk is staffed from 07:00. It has 6 phones.', 'The desk is staffed from 06:00.'],
      ['The call begins at 10:00 with 9 guests.', 'The call begins at 09:00.'],
      ['The line closes at 17:00, and 16 people work there.', 'The line closes at 16:00.'],
      ['The backup starts at 02:30.', 'The backup starts at 03:20.'],
      ['The backup starts at 2:30 am.', 'The backup starts at 2:30 pm.'],
      ['The bell rings at noon.', 'The bell rings at midnight.'],
    ],
  ],
  [
    'that another clause says of something else',
    [
      ['The shop opens at 09:00 and closes at 18:00.', 'The shop opens at 18:00.'],
      ['The office opens at 08:30 and closes at 17:00.', 'The office closes at 08:30.'],
      ['The window starts at 22:00, ends at 04:00.', 'The window starts at 04:00.'],
      ['Check-in begins at 14:00 and check-out ends at 11:00.', 'Check-in begins at 11:00.'],
      ['The train leaves at 07:12 and arrives at 09:45.', 'The train leaves at 09:45.'],
      ['The soft limit is 80 % and the hard limit is 95 %.', 'The soft limit is 95 %.'],
      ['Uploads may hold 50 MB and exports 2 GB.', 'Exports may hold 50 MB.'],
      ['Uploads may hold 50 MB, exports 2 GB.', 'Uploads may hold 2 GB.'],
      ['The small box holds 5 litres and the large box 12 litres.', 'The small box holds 12 litres.'],
      [
        'A warning is shown after 5 minutes, and the session ends after 15 minutes.',
        'The session ends after 5 minutes.',
      ],
    ],
  ],
  [
    'in the place of the other',
    [
      ['The price went from $40 to $60.', 'The price went from $60 to $40.'],
      ['Only 5 of 8 nodes answered.', 'Only 8 of 5 nodes answered.'],
      ['Odds are 5 to 1.', 'Odds are 1 to 5.'],
      ['The score was 3-2.', 'The score was 2-3.'],
      ['The lag fell from 90 s to 30 s in June.', 'The lag fell from 30 s to 90 s in June.'],
      ['The board voted 7 against 2.', 'The board voted 2 against 7.'],
    ],
  ],
  [
    'of times',
    [
      ['To reset the device, press the button twice.', 'To reset the device, press the button once.'],
      ['To reset the device, press the button once.', 'To reset the device, press the button twice.'],
      ['Take the tablet twice daily.', 'Take the tablet once daily.'],
      [
        'If the job fails twice, it pages the engineer on call.',
        'If the job fails once, it pages the engineer on call.',
      ],
      ['The alarm sounds twice.', 'The alarm sounds once.'],
      ['The worker retries once before it gives up.', 'The worker retries twice before it gives up.'],
      ['Water the plants once weekly.', 'Water the plants twice weekly.'],
      ['Each token may be used once.', 'Each token may be used twice.'],
      ['Press the key three times.', 'Press the key once.'],
      ['The migration must be run exactly once.', 'The migration must be run exactly twice.'],
      [
        'A ping is sent twice; then the host is called dead.',
        'A ping is sent once; then the host is called dead.',
      ],
    ],
  ],
  [
    'of a place in a row, or of few things',
    [
      ['Her design won third prize.', 'Her design won second prize.'],
      ['The team came in second place.', 'The team came in third place.'],
      ['The fourth step restarts the server.', 'The fifth step restarts the server.'],
      ['It is her first visit to the plant.', 'It is her second visit to the plant.'],
      ['The 2nd prize is a bike.', 'The 3rd prize is a bike.'],
      ['The office is on the third floor.', 'The office is on the fourth floor.'],
      ['The service runs two replicas.', 'The service runs one replica.'],
      ['The service runs one replica.', 'The service runs two replicas.'],
      ['One approval is needed to merge.', 'Two approvals are needed to merge.'],
    ],
  ],
])('a number %s is not supported', (_, pairs) => {
  it.each(pairs)('%j, not %j', (source, claim) => {
    expect(scoreOf(source, claim)).toBeLessThan(SUPPORT_THRESHOLD);
    expect(scoreOf(source, source)).toBeGreaterThan(SUPPORT_THRESHOLD);
  });
});

it.each([
  [
    '| Plan | Price |\n|---|---|\n| Basic | 10 dollars |\n| Pro | 25 dollars |',
    'The Basic plan costs 25 dollars.',
  ],
  ['| Region | Users |\n|---|---|\n| North | 120 |\n| South | 340 |', 'In the North there are 340 users.'],
  ['| Item | Price |\n|---|---|\n| Pen | €2 |\n| Book | €15 |', 'A pen costs €15.'],
  ['| Step | Time |\n|---|---|\n| Build | 5 min |\n| Test | 12 min |', 'The build takes 12 min.'],
  ['- Build: 5 minutes\n- Test: 12 minutes', 'The build takes 12 minutes.'],
  ['- alpha: 16 GB\n- beta: 64 GB', 'alpha has 64 GB.'],
])('a number of another row or item is not supported: %j, not %j', (source, claim) => {
  expect(scoreOf(source, claim)).toBeLessThan(SUPPORT_THRESHOLD);
});

it.each([
  ['The freezer is kept at -18 degrees.', 'The freezer is kept at minus 18 degrees.'],
  ['The gauge reads -20 degrees.', 'The gauge reads 20 degrees below zero.'],
  ['The deposit is €50.', 'The deposit is 50 euros.'],
  ['The deposit is 50 €.', 'The deposit is fifty euros.'],
  ['The budget is $2 million.', 'The budget is $2M.'],
  ['The budget is $2,000,000.', 'The budget is 2 million dollars.'],
  ['The index holds 10M documents.', 'The index holds 10 million documents.'],
  ['The cache holds 10k entries.', 'The cache holds 10,000 entries.'],
  ['The contract ends on 2025-03-04.', 'The contract ends on March 4, 2025.'],
  ['The contract ends on March 4.', 'The contract ends on the 4th of March.'],
  ['The contract ends on 31/03/2025.', 'The contract ends on 2025-03-31.'],
  ['The backup starts at 02:30.', 'The backup starts at 2:30 am.'],
  ['The bell rings at 12:00.', 'The bell rings at noon.'],
  ['The bell rings at 09:00.', 'The bell rings at 9.'],
  ['Press the key two times.', 'Press the key twice.'],
  ['Press the key one time.', 'Press the key once.'],
  ['Once the job has ended, the log is closed.', 'The log is closed once the job has ended.'],
  ['Two thirds of the board approved it.', '67 % of the board approved it.'],
  ['Half of the nodes must agree.', '50% of the nodes must agree.'],
  ['The lamp needs 25 percent of it.', 'The lamp needs 25% of it.'],
  ['The job is retried three times.', 'There are three retries of the job.'],
  ['The deposit is returned within 30 days.', 'The deposit is returned within 30 calendar days.'],
  ['The office opens at 08:30 and closes at 17:00.', 'The office closes at 17:00.'],
  ['The office opens at 08:30 and closes at 17:00.', 'The office opens at 08:30.'],
  ['The soft limit is 80 % and the hard limit is 95 %.', 'The hard limit is 95 %.'],
  ['Uploads may hold 50 MB and exports 2 GB.', 'Exports may hold 2 GB.'],
  ['The train leaves at 07:12 and arrives at 09:45.', 'The train arrives at 09:45 after leaving at 07:12.'],
  ['The office is on the 3rd floor.', 'The office is on the third floor.'],
])('the same amount in another form is: %j, %j', (source, claim) => {
  expect(scoreOf(source, claim)).toBeGreaterThan(SUPPORT_THRESHOLD);
});

it('names the numbers that the source lacks as they are compared', () => {
  const { problems } = checkSupport(
    'On 1 May 2026 the team bought 40 chairs for 50 euros.',
    readEvidence(['The shop closed on 2026-05-01.']),
  );
  expect(problems.filter((problem) => problem.startsWith('the number'))).toEqual([
    'the number 40 is not in the source',
    'the number €50 is not in the source',
  ]);
});
