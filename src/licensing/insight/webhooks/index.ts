export { licenseWebhooks } from './service.ts';
