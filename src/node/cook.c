// A cook's messages, cancellation and inputs at other frames, and the sums of the ledger.
#include <stdarg.h>
#include <stdio.h>

#include "rivulet/node.h"

bool rv_cook_cancelled(const RvCook* cook, double fraction, const char* stage) {
  const RvHost* host = cook->host;
  return host && host->cancelled && host->cancelled(host->user, fraction, stage);
}

// Formats a message and sends it to the host; longer ones are cut off.
static void send_message(const RvCook* cook, RvLevel level, const char* format, va_list args) {
  enum { MESSAGE_BYTES = 1020 };
  const RvHost* host = cook->host;
  if (!host || !host->message) return;
  char text[MESSAGE_BYTES];
  vsnprintf(text, sizeof text, format, args);
  host->message(host->user, level, text);
}

void rv_cook_warn(const RvCook* cook, const char* format, ...) {
  va_list args;
  va_start(args, format);
  send_message(cook, RV_LEVEL_WARNING, format, args);
  va_end(args);
}

void rv_cook_info(const RvCook* cook, const char* format, ...) {
  va_list args;
  va_start(args, format);
  send_message(cook, RV_LEVEL_INFO, format, args);
  va_end(args);
}

RvLog rv_cook_log(const RvCook* cook) {
  const RvHost* host = cook->host;
  return host ? (RvLog){host->user, host->message} : (RvLog){0};
}

RvResult rv_cook_input_at(RvCook* cook, size_t index, double frame, const RvDetail** out, RvError* error) {
  *out = NULL;
  if (index >= cook->ninput || !cook->input[index]) return RV_OK;
  const RvHost* host = cook->host;
  if (host && host->input_at && frame != cook->time.frame) return host->input_at(host->user, index, frame, out, error);
  *out = cook->input[index];
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- ledger

double rv_ledger_total(const RvLedger* ledger) {
  return ledger->bulk + ledger->film + ledger->absorbed;
}

double rv_ledger_drift(const RvLedger* ledger) {
  double total = rv_ledger_total(ledger);
  double inflow = ledger->initial + ledger->sources;
  double sinks = ledger->killed + ledger->evaporated + ledger->outflow;
  double error = total - inflow + sinks;
  // Without any inflow all liquid is drift.
  double scale = inflow > 0 ? inflow : total + sinks;
  return scale > 0 ? error / scale : 0;
}
