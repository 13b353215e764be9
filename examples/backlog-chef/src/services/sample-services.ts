import { serviceVariables } from '../settings.js';
import { azureDevOps, type WorkItem } from './azure-devops.js';
import { confluence, type WikiPage } from './confluence.js';
import { basic, type JsonServer, startJsonServer } from './json-server.js';

// Written for this example, as the issues are.
const PAGES: readonly WikiPage[] = [
  {
    id: '101',
    space: 'ARCH',
    title: 'Decision: gift cards are vouchers',
    body: '<p>We decided that a gift card is a voucher with a balance, and no means of payment, because vouchers need no licence.</p><p>The QR code holds a number of 20 digits and no amount.</p>',
    labels: ['decision', 'gift-cards'],
    comments: ['Finance agreed in May: a gift card is booked when it is redeemed, not when it is sold.'],
  },
  {
    id: '102',
    space: 'TECH',
    title: 'Sign in with Apple: relay addresses',
    body: '<h2>Mail</h2><p>Apple may give a relay address. Mail reaches it only from domains that are registered with Apple. Register the domain before the first sign-in.</p>',
    labels: ['sign-in'],
  },
  { id: '103', space: 'HR', title: 'Holidays', body: '<p>Gift cards for birthdays are ordered by HR.</p>' },
];

const ITEMS: readonly WorkItem[] = [
  {
    id: 61,
    fields: {
      'System.Title': 'Redeem a gift card in the basket',
      'System.WorkItemType': 'User Story',
      'System.State': 'Closed',
      'System.Description':
        '<div>A shopper types the number of a gift card, and its balance lowers the total.</div>',
      'Microsoft.VSTS.Common.AcceptanceCriteria':
        '<div>A gift card with a QR code that is redeemed twice is refused the second time.</div>',
      'System.Tags': 'gift cards; checkout',
    },
  },
  {
    id: 62,
    fields: {
      'System.Title': 'Charged twice after a lost connection',
      'System.WorkItemType': 'Bug',
      'System.State': 'Active',
      'System.Description':
        '<div>A payment that was interrupted in a tunnel was charged twice. The root cause was a new idempotency key for the second attempt.</div>',
    },
  },
  {
    id: 63,
    fields: {
      'System.Title': 'Gift card test plan',
      'System.WorkItemType': 'Test Plan',
      'System.Description': '<div>Gift cards with a QR code.</div>',
    },
  },
];

/** A Confluence site and an Azure DevOps project on this machine, for who has neither at hand. */
export async function startServices(port = 0): Promise<JsonServer> {
  const { CONFLUENCE_USER = '', CONFLUENCE_TOKEN = '', AZURE_PAT = '' } = serviceVariables('');
  const wiki = confluence(PAGES, basic(CONFLUENCE_USER, CONFLUENCE_TOKEN));
  const project = azureDevOps(ITEMS, basic('', AZURE_PAT));
  return startJsonServer((request) => (request.path.startsWith('/azure/') ? project : wiki)(request), port);
}
