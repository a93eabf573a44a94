export { storeWebhooks } from './service.ts';
