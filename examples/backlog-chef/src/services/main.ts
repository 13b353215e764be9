/** `npm run services`: a Confluence site and an Azure DevOps project of this machine, until it is stopped. */
import { startServices } from './sample-services.js';

const { url } = await startServices(Number(process.env.PORT ?? 7250));
console.log(
  `Confluence and Azure DevOps answer at ${url}; in another terminal: SERVICES_URL=${url} npm start`,
);
