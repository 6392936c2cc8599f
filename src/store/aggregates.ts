import type { Database } from "./database.ts";
import { LeaseLostError } from "./errors.ts";
import type { RepositoryContext } from "./repositories/context.ts";
import { DocumentRepository } from "./repositories/documents.ts";
import { GatewayTurnRepository } from "./repositories/gateway-turns.ts";
import { InboxRepository } from "./repositories/inbox.ts";
import { JobRepository } from "./repositories/jobs.ts";
import { isFenceCurrent, LeaseRepository } from "./repositories/leases.ts";
import { MessageRepository } from "./repositories/messages.ts";
import { MetaRepository } from "./repositories/meta.ts";
import { MoneyRepository } from "./repositories/money.ts";
import { OutboxRepository } from "./repositories/outbox.ts";
import { ReportRepository } from "./repositories/reports.ts";
import { RouteRepository } from "./repositories/routes.ts";
import { SearchRepository } from "./repositories/search.ts";
import { SessionRepository } from "./repositories/sessions.ts";
import { TraceRepository } from "./repositories/traces.ts";
import { TurnRepository } from "./repositories/turns.ts";
import { UsageRepository } from "./repositories/usage.ts";
import type { Aggregates, StoreTransactionOptions } from "./store.ts";
import { InlineWork } from "./work/inline-work.ts";

export function buildAggregates(context: RepositoryContext): Aggregates {
  return {
    sessions: new SessionRepository(context),
    messages: new MessageRepository(context),
    search: new SearchRepository(context),
    inbox: new InboxRepository(context),
    outbox: new OutboxRepository(context),
    leases: new LeaseRepository(context),
    routes: new RouteRepository(context),
    gatewayTurns: new GatewayTurnRepository(context),
    traces: new TraceRepository(context),
    jobs: new JobRepository(context),
    documents: new DocumentRepository(context),
    meta: new MetaRepository(context),
    usage: new UsageRepository(context),
    money: new MoneyRepository(context),
    turns: new TurnRepository(context),
    reports: new ReportRepository(context),
  };
}

/** Runs `fn` with all aggregates on one transaction, after proving the fence if one is given. */
export async function runTransaction<T>(
  context: RepositoryContext,
  fn: (tx: Aggregates) => Promise<T>,
  options: StoreTransactionOptions = {},
): Promise<T> {
  let appended = 0;
  const result = await context.db.transaction(async (tx: Database) => {
    appended = 0;
    if (options.fence !== undefined && !(await isFenceCurrent(tx, options.fence)))
      throw new LeaseLostError(options.fence);
    const inside: RepositoryContext = {
      ...context,
      db: tx,
      heavy: new InlineWork({ db: tx, clock: context.clock, log: context.log }),
      onAppended: (count) => {
        appended += count;
      },
      onSearched: undefined,
    };
    return await fn(buildAggregates(inside));
  }, options);
  if (appended > 0) context.onAppended?.(appended);
  return result;
}
