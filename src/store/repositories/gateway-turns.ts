import type { TurnId } from "#conversation";
import type { GatewayTurn, GatewayTurnStatus, InProgress } from "../records/gateway.ts";
import { jsonOrNull, orNull, text } from "../row.ts";
import { toGatewayTurn, toLease } from "../rows/gateway.ts";
import type { GatewayTurns } from "../store.ts";
import type { RepositoryContext } from "./context.ts";
import { deleteInBatches } from "./queues.ts";

const open = "('running', 'awaiting')";

export class GatewayTurnRepository implements GatewayTurns {
  readonly #context: RepositoryContext;

  constructor(context: RepositoryContext) {
    this.#context = context;
  }

  async start(turn: GatewayTurn): Promise<void> {
    await this.#context.db.run(
      `INSERT INTO gw_turn (turn_id, session_key, session_id, inbox_ids, fence, status, step, started_at_ms,
         heartbeat_at_ms, attempts, result) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        turn.id,
        turn.sessionKey,
        turn.sessionId,
        JSON.stringify(turn.inboxIds),
        turn.fence,
        turn.status,
        turn.step,
        turn.startedAtMs,
        turn.heartbeatAtMs,
        turn.attempts,
        jsonOrNull(turn.result),
      ],
    );
  }

  async get(id: TurnId): Promise<GatewayTurn | undefined> {
    const row = await this.#context.db.get("SELECT * FROM gw_turn WHERE turn_id = ?", [id]);
    return row === undefined ? undefined : toGatewayTurn(row);
  }

  async progress(id: TurnId, change: { step?: string; status?: GatewayTurnStatus; attempts?: number }): Promise<void> {
    const { step, status, attempts } = change;
    await this.#context.db.run(
      `UPDATE gw_turn SET heartbeat_at_ms = ?, step = coalesce(?, step), status = coalesce(?, status),
         attempts = coalesce(?, attempts) WHERE turn_id = ? AND status IN ${open}`,
      [this.#context.clock.now(), orNull(step), orNull(status), orNull(attempts), id],
    );
  }

  async finish(id: TurnId, status: "done" | "failed" | "abandoned", result?: unknown): Promise<void> {
    await this.#context.db.run(
      `UPDATE gw_turn SET status = ?, result = ?, heartbeat_at_ms = ? WHERE turn_id = ? AND status IN ${open}`,
      [status, jsonOrNull(result), this.#context.clock.now(), id],
    );
  }

  async unfinished(sessionKey: string): Promise<readonly GatewayTurn[]> {
    const rows = await this.#context.db.all(
      `SELECT * FROM gw_turn WHERE status IN ${open} AND session_key = ? ORDER BY started_at_ms`,
      [sessionKey],
    );
    return rows.map(toGatewayTurn);
  }

  async inProgress(): Promise<readonly InProgress[]> {
    const rows = await this.#context.db.all(
      `SELECT k.session_key, l.name, l.owner, l.fence, l.expires_at_ms FROM (
         SELECT session_key FROM gw_turn WHERE status IN ${open}
         UNION SELECT session_key FROM gw_inbox WHERE status = 'claimed') k
       LEFT JOIN gw_lease l ON l.name = 'chat:' || k.session_key`,
    );
    return rows.map((row) => ({
      sessionKey: text(row, "session_key"),
      lease: row["name"] === null ? undefined : toLease(row),
    }));
  }

  async prune(olderThanMs: number): Promise<number> {
    return await deleteInBatches(this.#context.db, "gw_turn", {
      where: `status NOT IN ${open} AND heartbeat_at_ms < ?`,
      params: [olderThanMs],
    });
  }
}
