import { testPage } from './run-page.ts';

testPage('offline-licenses');
