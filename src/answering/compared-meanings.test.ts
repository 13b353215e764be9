import { describe, expect, it } from 'vitest';
import { checkSupport, SUPPORT_THRESHOLD } from './check-support.js';
import { readEvidence } from './support-features.js';

const check = (source: string, claim: string) => checkSupport(claim, readEvidence([source]));
type Pairs = readonly (readonly [source: string, claim: string])[];

const WRONG: Readonly<Record<string, Pairs>> = {
  'double negations': [
    ['It is not impossible to restore a deleted project.', 'A deleted project cannot be restored.'],
    ['It is not impossible to restore a deleted project.', 'It is impossible to restore a deleted project.'],
    [
      'Failures of the disk are not uncommon in the first year.',
      'Failures of the disk are uncommon in the first year.',
    ],
    ['The service is never unavailable during an upgrade.', 'The service is unavailable during an upgrade.'],
    ['The cache is not disabled in production.', 'The cache is disabled in production.'],
    ['Guests are not forbidden to open the archive.', 'Guests must not open the archive.'],
    ['The token is not invalid after the restart.', 'The token is invalid after the restart.'],
    ['The port is not inaccessible from outside.', 'The port cannot be accessed from outside.'],
    ['It is not unsafe to remove the lock file by hand.', 'It is unsafe to remove the lock file by hand.'],
    ['The change is not irreversible once it was saved.', 'The change cannot be reversed once it was saved.'],
    ['The fee is not nonrefundable.', 'The fee is nonrefundable.'],
    ['No upload is rejected without a message.', 'Uploads are rejected without a message.'],
    [
      'The build does not fail if the file is not larger than 5 MB.',
      'The build fails if the file is not larger than 5 MB.',
    ],
    ['The job does not stop unless the queue is not empty.', 'The job stops unless the queue is not empty.'],
  ],
  rates: [
    ['The limit is 100 requests per second.', 'The limit is 100 requests per minute.'],
    ['A key may make 600 calls per minute.', 'A key may make 600 calls per hour.'],
    ['The pump moves 20 litres a minute.', 'The pump moves 20 litres a second.'],
    ['The rate limit is 10 requests/second.', 'The rate limit is 10 requests/minute.'],
    ['It writes 500 rows each second.', 'It writes 500 rows each minute.'],
    ['The service sends 3 mails an hour.', 'The service sends 3 mails a day.'],
    ['The plan costs 12 euros per month.', 'The plan costs 12 euros per year.'],
    ['The plan costs €12 a month for each seat.', 'The plan costs €12 a year for each seat.'],
    ['Throughput reached 40 MB per second.', 'Throughput reached 40 MB per minute.'],
    ['Throughput reached 40 MB/s.', 'Throughput reached 40 MB/min.'],
    ['The crew works 38 hours per week.', 'The crew works 38 hours per month.'],
    ['The sensor is read 5 times per minute.', 'The sensor is read 5 times per hour.'],
    ['Backups run every 6 hours.', 'Backups run every 6 days.'],
    ['The link drops 2 packets per hour.', 'The link drops 2 packets per second.'],
  ],
  currencies: [
    ['The fine is 300 US dollars for each case.', 'The fine is 300 euros for each case.'],
    ['The plan costs 50 US dollars a month.', 'The plan costs 50 euros a month.'],
    ['The plan costs US$ 50 a month.', 'The plan costs €50 a month.'],
    ['The deposit is 200 Canadian dollars.', 'The deposit is 200 US dollars.'],
    ['The deposit is 200 Swiss francs.', 'The deposit is 200 euros.'],
    ['The deposit is 200 AUD.', 'The deposit is 200 USD.'],
    ['The deposit is 200 British pounds.', 'The deposit is 200 dollars.'],
    ['The budget is 2 million US dollars.', 'The budget is 2 million euros.'],
    ['Fees are paid in US dollars.', 'Fees are paid in euros.'],
    ['Salaries are paid in euros.', 'Salaries are paid in pounds.'],
    ['All prices are in euros.', 'All prices are in US dollars.'],
    ['The invoice is issued in Swiss francs.', 'The invoice is issued in euros.'],
    ['The deposit is 900 Swedish kronor.', 'The deposit is 900 euros.'],
    ['The deposit is 900 Chinese yuan.', 'The deposit is 900 Japanese yen.'],
    ['The deposit is fifty US dollars.', 'The deposit is fifty euros.'],
  ],
  directions: [
    ['The timeout was lowered from 20 to 10 seconds.', 'The timeout was lowered from 10 to 20 seconds.'],
    ['The timeout was changed from 20 to 10.', 'The timeout was changed from 10 to 20.'],
    ['The limit went from 20 to 10 files.', 'The limit went from 10 to 20 files.'],
    ['The price rose from €10 to €20.', 'The price rose from €20 to €10.'],
    ['The staff grew from 12 people to 30 people.', 'The staff grew from 30 people to 12 people.'],
    ['The default was raised from 5 MB to 50 MB.', 'The default was raised from 50 MB to 5 MB.'],
    ['Version 4 moved the port from 8080 to 9090.', 'Version 4 moved the port from 9090 to 8080.'],
    ['The share fell from 40 % in May to 30 % in June.', 'The share fell from 30 % in May to 40 % in June.'],
    ['The number of workers was set from two to four.', 'The number of workers was set from four to two.'],
    ['The job was moved from Monday to Friday.', 'The job was moved from Friday to Monday.'],
    ['The data was migrated from Oracle to Postgres.', 'The data was migrated from Postgres to Oracle.'],
    ['The retention was cut to 10 days from 20 days.', 'The retention was cut to 20 days from 10 days.'],
    ['Response times improved from 90 ms to 30 ms.', 'Response times improved from 30 ms to 90 ms.'],
  ],
  'other amounts of time': [
    ['Records are kept for 2 years.', 'Records are kept for 12 months.'],
    ['Records are kept for 2 years.', 'Records are kept for 20 months.'],
    ['The session ends after 90 minutes.', 'The session ends after 2 hours.'],
    ['Backups run twice a day.', 'Backups run at 06:00.'],
    ['Backups run twice a day.', 'Backups run at 06:00, 12:00 and 18:00.'],
    ['Backups run three times a day.', 'Backups run at 06:00 and 18:00.'],
    ['Backups run at 06:00 and 18:00.', 'Backups run once a day.'],
    ['Backups run at 06:00 and 18:00.', 'Backups run three times a day.'],
    ['Backups run at 06:00 and 18:00.', 'Backups run twice a week.'],
    ['The key is valid for 18 months.', 'The key is valid for 2 years.'],
    ['The window is 36 hours.', 'The window is 2 days.'],
  ],
  'opposites, sides and spans': [
    [
      'Validation is easy as there are many constraints.',
      'Validation is difficult as there are few constraints.',
    ],
    [
      'Extending this API is difficult or impossible without breaking changes.',
      'This API can easily be extended.',
    ],
    ['Most pods are restarted.', 'Few pods are restarted.'],
    [
      'The worker is blocked forever when the queue is full.',
      'The worker is blocked for an hour when the queue is full.',
    ],
    ['Lock files are kept for 10 minutes.', 'Lock files are kept indefinitely.'],
    ['Dispatch will be roughly O(1) rather than O(n).', 'Dispatch will be roughly O(n) rather than O(1).'],
    ['The scheduler reads not the cache but the API.', 'The scheduler reads not the API but the cache.'],
    [
      'The existing behavior (0777) is preserved when mode is not set.',
      'When mode is not set, the existing behavior (0777) is not preserved.',
    ],
  ],
};

const RIGHT: Readonly<Record<string, Pairs>> = {
  'double negations': [
    ['It is not impossible to restore a deleted project.', 'It is possible to restore a deleted project.'],
    ['It is not impossible to restore a deleted project.', 'A deleted project can be restored.'],
    ['It is possible to restore a deleted project.', 'It is not impossible to restore a deleted project.'],
    [
      'Failures of the disk are not uncommon in the first year.',
      'Failures of the disk are common in the first year.',
    ],
    ['The service is never unavailable during an upgrade.', 'The service is available during an upgrade.'],
    ['The cache is not disabled in production.', 'The cache is enabled in production.'],
    ['Guests are not forbidden to open the archive.', 'Guests may open the archive.'],
    ['The token is not invalid after the restart.', 'The token is valid after the restart.'],
    [
      'The build does not fail if the file is not larger than 5 MB.',
      'The build does not fail if the file is at most 5 MB.',
    ],
    [
      'The build does not fail if the file is not larger than 5 MB.',
      'The build succeeds if the file is at most 5 MB.',
    ],
    ['The change is not irreversible once it was saved.', 'The change is reversible once it was saved.'],
    ['The fee is not nonrefundable.', 'The fee is refundable.'],
  ],
  rates: [
    ['The limit is 100 requests per second.', 'The limit is 100 requests a second.'],
    ['The limit is 100 requests per second.', 'The limit is 100 requests/s.'],
    ['A key may make 60 calls per minute.', 'A key may make 60 calls each minute.'],
    ['The plan costs 12 euros per month.', 'The plan costs 12 euros monthly.'],
    ['The plan costs 12 euros per month.', 'The monthly price of the plan is 12 euros.'],
    ['Throughput reached 40 MB/s.', 'Throughput reached 40 MB per second.'],
    ['Backups run every 24 hours.', 'Backups run every day.'],
    ['The crew works 38 hours per week.', 'The crew works 38 hours a week.'],
  ],
  currencies: [
    ['The fine is 300 US dollars for each case.', 'The fine is $300 for each case.'],
    ['The plan costs US$ 50 a month.', 'The plan costs 50 US dollars a month.'],
    ['The plan costs USD 50 a month.', 'The plan costs 50 US dollars a month.'],
    ['The deposit is 200 Swiss francs.', 'The deposit is CHF 200.'],
    ['The budget is 2 million US dollars.', 'The budget is $2M.'],
    ['The deposit is 200 British pounds.', 'The deposit is £200.'],
    ['The deposit is 50 dollars.', 'The deposit is 50 US dollars.'],
    ['Fees are paid in US dollars.', 'Fees are paid in dollars.'],
  ],
  directions: [
    [
      'The timeout was lowered from 20 to 10 seconds.',
      'The timeout was lowered to 10 seconds from 20 seconds.',
    ],
    ['The timeout was lowered from 20 to 10 seconds.', 'The timeout is now 10 seconds; it was 20 seconds.'],
    ['The timeout was lowered from 20 to 10 seconds.', 'The timeout went from 20 to 10 seconds.'],
    ['The job was moved from Monday to Friday.', 'The job was moved to Friday from Monday.'],
    ['The price rose from €10 to €20.', 'The price rose to €20.'],
    ['The desk is open from 9:00 to 17:00.', 'The desk is open from 9 am to 5 pm.'],
  ],
  'the same time in other units': [
    ['Records are kept for 2 years.', 'Records are kept for 24 months.'],
    ['Records are kept for 24 months.', 'Records are kept for 2 years.'],
    ['Records are kept for two years.', 'Records are kept for 24 months.'],
    ['Records are kept for 3 years, then they are deleted.', 'Records are deleted after 36 months.'],
    ['The contract runs for 18 months.', 'The contract runs for 1.5 years.'],
    ['The contract runs for 18 months.', 'The contract runs for a year and a half.'],
    ['The key is valid for 6 months.', 'The key is valid for half a year.'],
    ['The key is valid for a quarter.', 'The key is valid for 3 months.'],
    ['The session ends after 90 minutes.', 'The session ends after 1.5 hours.'],
    ['The session ends after 90 minutes.', 'The session ends after an hour and a half.'],
    ['The window is 48 hours.', 'The window is 2 days.'],
    ['The window is 2 weeks.', 'The window is 14 days.'],
    ['The file must not exceed 1,024 MB.', 'The file must not exceed 1 GB.'],
    ['The cache is emptied every 3,600 seconds.', 'The cache is emptied every hour.'],
    ['A report is written every 12 months.', 'A report is written every year.'],
    ['A report is written annually.', 'A report is written every 12 months.'],
    ['The lease is 24 months long.', 'The lease is two years long.'],
  ],
  'times of day': [
    ['Backups run twice a day.', 'Backups run at 06:00 and 18:00.'],
    ['Backups run at 06:00 and 18:00.', 'Backups run twice a day.'],
    ['Backups run at 6 am and 6 pm.', 'Backups run twice a day.'],
    ['Backups run at 06:00, 12:00 and 18:00.', 'Backups run three times a day.'],
    ['The report is sent at noon and at midnight.', 'The report is sent twice daily.'],
    ['The report is sent every day at 09:00 and 21:00.', 'The report is sent two times a day.'],
    ['Meals are served at 08:00, 12:30 and 18:30.', 'Meals are served three times a day.'],
    ['The queue is emptied at 03:00.', 'The queue is emptied once a day.'],
    ['The queue is emptied on Mondays and Thursdays.', 'The queue is emptied twice a week.'],
    ['The meeting is on Monday, Wednesday and Friday.', 'The meeting is three times a week.'],
    ['The filter is cleaned in May and November.', 'The filter is cleaned twice a year.'],
  ],
  'opposites, sides and spans': [
    ['Many of the pods were restarted, few of the nodes.', 'Few of the nodes were restarted.'],
    ['It is easy to extend this API.', 'It is not difficult to extend this API.'],
    ['Lock files are kept forever, their logs for 10 minutes.', 'Lock files are kept forever.'],
    ['Dispatch will be roughly O(1) rather than O(n).', 'Rather than O(n), dispatch will be roughly O(1).'],
    ['The scheduler reads not the cache but the API.', 'The scheduler reads the API, not the cache.'],
    [
      'The file is not removed when the cache is not used.',
      'When the cache is not used, the file is not removed.',
    ],
  ],
};

describe.each(Object.entries(WRONG))('what is said otherwise is not supported: %s', (_, pairs) => {
  it.each(pairs)('%j, not %j', (source, claim) => {
    expect(check(source, claim).score).toBeLessThan(SUPPORT_THRESHOLD);
  });
});

describe.each(Object.entries(RIGHT))(
  'what is the same in other words is no contradiction: %s',
  (_, pairs) => {
    it.each(pairs)('%j, and %j', (source, claim) => {
      expect(check(source, claim).contradiction).toBeUndefined();
    });
  },
);
