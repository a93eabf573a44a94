export { type ExchangeReckoning, exchange, previewExchange, type Replacement } from './exchanges.ts';
