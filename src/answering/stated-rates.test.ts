import { describe, expect, it } from 'vitest';
import { loadTextMeaning } from '../embedding/static/text-meaning.js';
import { checkSupport, SUPPORT_THRESHOLD } from './check-support.js';
import { ratesIn } from './stated-rates.js';
import { readEvidence } from './support-features.js';

/** What a source says, the same in another form, and something else. */
const RATES: readonly (readonly [source: string, right: string, wrong: string])[] = [
  [
    'A snapshot of the volume is taken every two days.',
    'A snapshot of the volume is taken every second day.',
    'A snapshot of the volume is taken every third day.',
  ],
  [
    'A snapshot of the volume is taken every other day.',
    'A snapshot of the volume is taken every two days.',
    'A snapshot of the volume is taken every three days.',
  ],
  [
    'A snapshot of the volume is taken every second day.',
    'A snapshot of the volume is taken every other day.',
    'A snapshot of the volume is taken every day.',
  ],
  [
    'The cache is emptied every 12 hours.',
    'The cache is emptied twice a day.',
    'The cache is emptied three times a day.',
  ],
  [
    'The cache is emptied twice a day.',
    'The cache is emptied every 12 hours.',
    'The cache is emptied every 6 hours.',
  ],
  [
    'The report is sent twice a week.',
    'The report is sent two times per week.',
    'The report is sent every two weeks.',
  ],
  [
    'The report is sent every two weeks.',
    'The report is sent fortnightly.',
    'The report is sent twice a week.',
  ],
  [
    'The API accepts 3,600 requests an hour for each key.',
    'The API accepts 60 requests a minute for each key.',
    'The API accepts 3,600 requests a minute for each key.',
  ],
  [
    'The API accepts 3,600 requests an hour for each key.',
    'The API accepts one request a second for each key.',
    'The API accepts 10 requests a second for each key.',
  ],
  [
    'The API accepts one request per second for each key.',
    'The API accepts 60 requests per minute for each key.',
    'The API accepts 600 requests per minute for each key.',
  ],
  [
    'The pump moves 120 litres per minute.',
    'The pump moves 2 litres every second.',
    'The pump moves 120 litres every second.',
  ],
  [
    'The pump moves 120 litres per minute.',
    'The pump moves 7,200 litres an hour.',
    'The pump moves 720 litres an hour.',
  ],
  [
    'The heartbeat is sent every 30 seconds.',
    'The heartbeat is sent twice a minute.',
    'The heartbeat is sent every two minutes.',
  ],
  [
    'The heartbeat is sent every half hour.',
    'The heartbeat is sent every 30 minutes.',
    'The heartbeat is sent every 15 minutes.',
  ],
  [
    'Half of the replicas must confirm a write.',
    '50 % of the replicas must confirm a write.',
    '40 % of the replicas must confirm a write.',
  ],
  [
    'Half the replicas must confirm a write.',
    '50% of the replicas must confirm a write.',
    '60% of the replicas must confirm a write.',
  ],
  [
    'The discount halves the price: the fee is cut by half.',
    'The fee is cut by 50 %.',
    'The fee is cut by 25 %.',
  ],
  ['The cluster has a dozen nodes.', 'The cluster has 12 nodes.', 'The cluster has 10 nodes.'],
  ['The cluster has two dozen nodes.', 'The cluster has 24 nodes.', 'The cluster has 12 nodes.'],
  ['The cluster has half a dozen nodes.', 'The cluster has six nodes.', 'The cluster has 12 nodes.'],
  ['Keys are rotated four times a year.', 'Keys are rotated quarterly.', 'Keys are rotated monthly.'],
  ['Keys are rotated monthly.', 'Keys are rotated 12 times a year.', 'Keys are rotated four times a year.'],
  [
    'Keys are rotated once every three months.',
    'Keys are rotated four times a year.',
    'Keys are rotated three times a year.',
  ],
  [
    'The disk is checked hourly.',
    'The disk is checked 24 times a day.',
    'The disk is checked 12 times a day.',
  ],
  [
    'The disk is checked on alternate days.',
    'The disk is checked every two days.',
    'The disk is checked every four days.',
  ],
  [
    'The job fails on the 2nd attempt.',
    'The job fails on the second attempt.',
    'The job fails on the third attempt.',
  ],
  ['The twenty-first request is refused.', 'The 21st request is refused.', 'The 22nd request is refused.'],
  [
    'Every fifth request is traced by the proxy.',
    'One in five requests is traced by the proxy.',
    'One in six requests is traced by the proxy.',
  ],
  [
    'Every tenth request is traced by the proxy.',
    '10 % of the requests are traced by the proxy.',
    '20 % of the requests are traced by the proxy.',
  ],
  [
    'The sensor sends 10 readings a second.',
    'The sensor sends a reading every 100 milliseconds.',
    'The sensor sends a reading every 10 milliseconds.',
  ],
  ['The link carries 8 MB/s.', 'The link carries 8 MB per second.', 'The link carries 8 MB per minute.'],
  [
    'Each user may send 1,440 mails a day.',
    'Each user may send 60 mails an hour.',
    'Each user may send 60 mails a minute.',
  ],
  [
    'The backup runs weekly.',
    'The backup runs once every seven days.',
    'The backup runs once every five days.',
  ],
  ['The backup runs once a day.', 'The backup runs every 24 hours.', 'The backup runs every 48 hours.'],
  [
    'Invoices are sent to the customers once a month.',
    'Invoices go out to the customers monthly.',
    'Invoices go out to the customers every two weeks.',
  ],
  [
    'The certificate is renewed every 90 days.',
    'The certificate is renewed once every 90 days.',
    'The certificate is renewed once every 30 days.',
  ],
  [
    'Workers poll the queue 5 times a second.',
    'Workers poll the queue every 200 ms.',
    'Workers poll the queue every 20 ms.',
  ],
  [
    'Each key may make 100 calls per minute.',
    'Each key may make 6,000 calls per hour.',
    'Each key may make 1,000 calls per hour.',
  ],
  [
    'The gateway allows 10 logins a minute per address.',
    'The gateway allows 600 logins an hour per address.',
    'The gateway allows 100 logins an hour per address.',
  ],
  [
    'The team meets every other Tuesday.',
    'The team meets every second Tuesday.',
    'The team meets every Tuesday.',
  ],
  ['Staff get paid twice a month.', 'Staff get paid two times a month.', 'Staff get paid weekly.'],
  ['The index is rebuilt nightly.', 'The index is rebuilt every night.', 'The index is rebuilt every hour.'],
  [
    'The scheduler wakes up once a minute.',
    'The scheduler wakes up every 60 seconds.',
    'The scheduler wakes up every 6 seconds.',
  ],
  [
    'The tariff is 12 cents per kilowatt hour.',
    'The tariff is 12 cents for each kilowatt hour.',
    'The tariff is 21 cents per kilowatt hour.',
  ],
  ['About 25 percent of users opt in.', 'About a quarter of users opt in.', 'About a third of users opt in.'],
  [
    'Logs are shipped every quarter of an hour.',
    'Logs are shipped every 15 minutes.',
    'Logs are shipped every 45 minutes.',
  ],
  [
    'Two in three users stay signed in.',
    'Two thirds of users stay signed in.',
    'One third of users stay signed in.',
  ],
  [
    'Filters are changed every six months.',
    'Filters are changed twice a year.',
    'Filters are changed every year.',
  ],
  ['Filters are changed every 6 months.', 'Filters are changed half-yearly.', 'Filters are changed monthly.'],
  [
    'The dose is one tablet every eight hours.',
    'The dose is three tablets a day.',
    'The dose is one tablet every four hours.',
  ],
  [
    'The dose is two tablets three times a day.',
    'The dose is two tablets every eight hours.',
    'The dose is two tablets every six hours.',
  ],
  [
    'The fan spins at 1,200 revolutions per minute.',
    'The fan spins at 20 revolutions per second.',
    'The fan spins at 120 revolutions per second.',
  ],
  [
    'A crawl fetches at most two pages a second.',
    'A crawl fetches at most 120 pages a minute.',
    'A crawl fetches at most 200 pages a minute.',
  ],
  ['Every sixth packet is sampled.', 'One in six packets is sampled.', 'One in three packets is sampled.'],
  ['A dozen tests fail on Windows.', 'Twelve tests fail on Windows.', 'Twenty tests fail on Windows.'],
  [
    'The subscription costs $10 a month.',
    'The subscription costs $120 a year.',
    'The subscription costs $100 a year.',
  ],
  [
    'Every half an hour the cache is written to disk.',
    'The cache is written to disk twice an hour.',
    'The cache is written to disk four times an hour.',
  ],
  [
    'The job is triggered every five minutes.',
    'The job is triggered 12 times an hour.',
    'The job is triggered 5 times an hour.',
  ],
  [
    'The lift is inspected yearly.',
    'The lift is inspected once a year.',
    'The lift is inspected every two years.',
  ],
  [
    'Logs are rotated daily. Backups run weekly and are kept for a year.',
    'Backups run every seven days and are kept for a year.',
    'Backups run every seven hours and are kept for a year.',
  ],
  ['Logs are rotated daily. Backups run weekly.', 'Backups run once a week.', 'Backups run once an hour.'],
  ['The job runs hourly.', 'The job runs at least once a day.', 'The job runs once a day.'],
  [
    'Half of the nodes are in Oslo, a quarter of the nodes in Rome.',
    'A quarter of the nodes are in Rome.',
    'A tenth of the nodes are in Rome.',
  ],
  [
    'Each second request fails with 503 when the pool is full.',
    'Every other request fails with 503 when the pool is full.',
    'Every third request fails with 503 when the pool is full.',
  ],
  [
    'The second request within a minute is refused.',
    'The second request within a minute is refused.',
    'The third request within a minute is refused.',
  ],
  [
    'Wait a second before you retry, then every second counts.',
    'Wait a second before you retry.',
    'Wait a minute before you retry.',
  ],
  [
    'Two-factor login is asked for once per day and device.',
    'Two-factor login is asked for once a day and device.',
    'Two-factor login is asked for once a week and device.',
  ],
  [
    'The plan costs $10 a month or $100 a year.',
    'The plan costs $100 a year.',
    'The plan costs $200 a year.',
  ],
  ['Prices rose 5 % a year.', 'Prices rose by 5 percent per year.', 'Prices rose by 15 percent per year.'],
];

describe('a rate, a share or a place in a row', async () => {
  const meaning = await loadTextMeaning();
  it.each(RATES)('%j is %j, not %j', (source, right, wrong) => {
    const evidence = readEvidence([source], meaning);
    const found = checkSupport(right, evidence);
    expect(found.contradiction).toBeUndefined();
    expect(found.score).toBeGreaterThanOrEqual(SUPPORT_THRESHOLD);
    expect(checkSupport(wrong, evidence).score).toBeLessThan(SUPPORT_THRESHOLD);
  });

  it.each([
    ['The API accepts one request per second.', 'The API accepts 600 requests per minute.'],
    ['Keys are rotated once every three months.', 'Keys are rotated three times a year.'],
    ['The disk is checked on alternate days.', 'The disk is checked hourly.'],
    ['The subscription costs $10 a month.', 'The subscription costs $100 a year.'],
    ['Every tenth request is traced.', '20 % of the requests are traced.'],
  ])('that is another one is said to contradict: %j, not %j', (source, claim) => {
    expect(checkSupport(claim, readEvidence([source], meaning)).contradiction).toContain('another rate');
  });

  it.each([
    ['The report is sent every day at 09:00 and 21:00.', 'The report is sent two times a day.'],
    ['The job runs hourly.', 'The job runs at least once a day.'],
    ['The base is a third of the load; half of the builds fail.', 'Half as many builds fail.'],
    ['Standups are held weekly.', 'Standups are held four times a month.'],
  ])('that may be the same is not: %j, %j', (source, claim) => {
    expect(checkSupport(claim, readEvidence([source], meaning)).contradiction).toBeUndefined();
  });
});

it.each<[string, [string, number][]]>([
  ['every second day', [['every second day', 1 / 172_800]]],
  ['every second request', [['every second', 0.5]]],
  ['at most two pages a second', [['two pages a second', 2]]],
  ['two tablets three times a day', [['two tablets three times a day', 6 / 86_400]]],
  ['a second chance, the third quarter of 2024', []],
  ['bi-weekly', []],
  ['3,600 an hour', [['3,600 an hour', 1]]],
  ['one in five users', [['one in five', 0.2]]],
])('rates of %j', (text, rates) => {
  expect(ratesIn(text).map((rate) => [rate.text, rate.value])).toEqual(rates);
});
