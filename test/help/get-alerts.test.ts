import { testPage } from './run-page.ts';

testPage('get-alerts');
