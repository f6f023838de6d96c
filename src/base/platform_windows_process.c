// Processes, signals, clocks, memory and locale of Windows. See platform.h and platform_windows.c.
#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
// clang-format off
#include <windows.h>
#include <psapi.h>
// clang-format on
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <locale.h>
#include <malloc.h>
#include <process.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform.h"

//---------------------------------------------------------------------------------------------- processes

long rv_platform_process(void) {
  return (long)GetCurrentProcessId();
}

bool rv_platform_process_exists(long process) {
  HANDLE handle = OpenProcess(SYNCHRONIZE, FALSE, (DWORD)process);
  if (!handle) return GetLastError() == ERROR_ACCESS_DENIED;
  bool runs = WaitForSingleObject(handle, 0) == WAIT_TIMEOUT;
  CloseHandle(handle);
  return runs;
}

void rv_platform_host_name(char* name, size_t size) {
  DWORD length = (DWORD)size;
  if (!GetComputerNameA(name, &length)) name[0] = 0;
}

int rv_platform_cores(void) {
  DWORD cores = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
  return cores > 0 ? (int)cores : 1;
}

bool rv_platform_program(char path[RV_PATH_BYTES]) {
  WCHAR wide[RV_PATH_BYTES];
  DWORD length = GetModuleFileNameW(NULL, wide, RV_PATH_BYTES);
  if (length == 0 || length >= RV_PATH_BYTES) return false;
  return WideCharToMultiByte(CP_UTF8, 0, wide, -1, path, RV_PATH_BYTES, NULL, NULL) > 0;
}

// Appends a word to a command line, quoted as the C library of the started program undoes it: backslashes count only
// before a quote. Returns the place after it; NULL: no room.
static char* quote(char* at, const char* end, const char* word) {
  size_t slashes = 0;
  if ((size_t)(end - at) < 2 * strlen(word) + 4) return NULL;
  *at++ = '"';
  for (; *word; ++word) {
    if (*word == '"')
      for (size_t k = 0; k <= slashes; ++k) *at++ = '\\';
    slashes = *word == '\\' ? slashes + 1 : 0;
    *at++ = *word;
  }
  while (slashes-- > 0) *at++ = '\\';
  *at++ = '"';
  *at++ = ' ';
  *at = 0;
  return at;
}

// An inheritable copy of a descriptor's handle, or the null device.
static HANDLE inheritable(int file) {
  SECURITY_ATTRIBUTES inherit = {.nLength = sizeof inherit, .bInheritHandle = TRUE};
  if (file == RV_FILE_NONE)
    return CreateFileW(L"NUL", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherit,
                       OPEN_EXISTING, 0, NULL);
  HANDLE copy = NULL, self = GetCurrentProcess();
  DuplicateHandle(self, (HANDLE)_get_osfhandle(file), self, &copy, 0, TRUE, DUPLICATE_SAME_ACCESS);
  return copy;
}

enum { COMMAND_LETTERS = 32768 };  // the system's limit

int rv_platform_start(const char* program, const char* const* words, int input, int output, int errors,
                      RvProcess* process) {
  // The command line; the first word is the program, which the system looks for on the PATH.
  char* line = malloc(COMMAND_LETTERS);
  WCHAR* wide = malloc(COMMAND_LETTERS * sizeof *wide);
  char* at = line && wide ? quote(line, line + COMMAND_LETTERS, program) : NULL;
  for (size_t i = 1; at && words[i]; ++i) at = quote(at, line + COMMAND_LETTERS, words[i]);
  int status = !line || !wide ? ENOMEM : !at ? E2BIG : 0;
  if (!status && !MultiByteToWideChar(CP_UTF8, 0, line, -1, wide, COMMAND_LETTERS)) status = EINVAL;
  // Its files.
  STARTUPINFOW start = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES};
  PROCESS_INFORMATION made;
  start.hStdInput = inheritable(input);
  start.hStdOutput = inheritable(output);
  start.hStdError = inheritable(errors);
  if (!status && !CreateProcessW(NULL, wide, NULL, NULL, TRUE, 0, NULL, NULL, &start, &made))
    status = GetLastError() == ERROR_FILE_NOT_FOUND ? ENOENT : EIO;
  CloseHandle(start.hStdInput);
  CloseHandle(start.hStdOutput);
  CloseHandle(start.hStdError);
  free(line);
  free(wide);
  if (status) return status;
  CloseHandle(made.hThread);
  *process = (RvProcess)made.hProcess;
  return 0;
}

ptrdiff_t rv_platform_wait(const RvProcess* processes, size_t count, int* code) {
  // The system waits for at most 64 at once, so all are asked in turn.
  for (size_t i = 0; count; i = (i + 1) % count) {
    HANDLE handle = (HANDLE)processes[i];
    DWORD state = WaitForSingleObject(handle, i == 0 ? 10 : 0);
    if (state == WAIT_TIMEOUT) continue;
    DWORD ended = 1;
    *code = state == WAIT_OBJECT_0 && GetExitCodeProcess(handle, &ended) ? (int)ended : -1;
    CloseHandle(handle);
    return (ptrdiff_t)i;
  }
  errno = ECHILD;
  return -1;
}

void rv_platform_stop(RvProcess process) {
  TerminateProcess((HANDLE)process, 1);
}

bool rv_platform_channel(int ends[2]) {
  return _pipe(ends, 1 << 16, _O_BINARY | _O_NOINHERIT) == 0;
}

ptrdiff_t rv_platform_send(int end, const void* bytes, size_t count) {
  return rv_platform_write(end, bytes, count);
}

FILE* rv_platform_shell(const char* command) {
  return _popen(command, "r");
}

int rv_platform_shell_end(FILE* stream) {
  return _pclose(stream);
}

//---------------------------------------------------------------------------------------------- signals

void rv_platform_catch_interrupts(void (*handler)(int)) {
  signal(SIGINT, handler);
  signal(SIGTERM, handler);
}

// A handler is in force once, as C says.
void rv_platform_catch_crashes(void (*handler)(int)) {
  signal(SIGSEGV, handler);
  signal(SIGABRT, handler);
}

// There is no alarm; a start of threads that never ends is not noticed.
void rv_platform_alarm(unsigned seconds) {
  (void)seconds;
}

void rv_platform_say(const char* text) {
  _write(2, text, (unsigned)strlen(text));
}

bool rv_platform_is_terminal(FILE* stream) {
  return _isatty(_fileno(stream)) != 0;
}

//---------------------------------------------------------------------------------------------- threads

_Static_assert(sizeof(SRWLOCK) <= sizeof(RvMutex), "RvMutex has room for the system's");

// SRWLOCK_INIT is zero.
void rv_platform_mutex_lock(RvMutex* mutex) {
  AcquireSRWLockExclusive((SRWLOCK*)&mutex->system);
}

void rv_platform_mutex_unlock(RvMutex* mutex) {
  ReleaseSRWLockExclusive((SRWLOCK*)&mutex->system);
}

static DWORD WINAPI wait_for_gate(void* gate) {
  WaitForSingleObject(gate, INFINITE);
  return 0;
}

int rv_platform_try_threads(int count, size_t stack) {
  HANDLE* threads = malloc((size_t)count * sizeof *threads);
  HANDLE gate = CreateEventW(NULL, TRUE, FALSE, NULL);
  int started = 0, failure = gate && (threads || count <= 0) ? 0 : ENOMEM;
  while (started < count && !failure) {
    threads[started] = CreateThread(NULL, stack, wait_for_gate, gate, STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
    failure = threads[started] ? 0 : EAGAIN;
    started += !failure;
  }
  if (gate) SetEvent(gate);
  for (int k = 0; k < started; ++k) {
    WaitForSingleObject(threads[k], INFINITE);
    CloseHandle(threads[k]);
  }
  if (gate) CloseHandle(gate);
  free(threads);
  return failure;
}

//---------------------------------------------------------------------------------------------- clocks

double rv_platform_wall_seconds(void) {
  LARGE_INTEGER now, rate;
  QueryPerformanceCounter(&now);
  QueryPerformanceFrequency(&rate);
  return (double)now.QuadPart / (double)rate.QuadPart;
}

// Seconds of a FILETIME, which counts 100 ns.
static double seconds_of(FILETIME t) {
  return 1e-7 * ((double)t.dwHighDateTime * 0x1p32 + (double)t.dwLowDateTime);
}

double rv_platform_cpu_seconds(void) {
  FILETIME begun, ended, kernel, user;
  if (!GetProcessTimes(GetCurrentProcess(), &begun, &ended, &kernel, &user)) return 0;
  return seconds_of(kernel) + seconds_of(user);
}

//---------------------------------------------------------------------------------------------- memory

// The head of a block, before its aligned memory: the C library tells the size of no aligned block.
typedef struct Block {
  void* start;   // of the C library
  size_t bytes;  // that were asked for
} Block;

static Block* block_of(void* memory) {
  return (Block*)memory - 1;
}

void* rv_platform_alloc(size_t bytes, size_t alignment, bool huge) {
  (void)huge;
  if (bytes > SIZE_MAX - alignment - sizeof(Block)) return NULL;
  char* start = malloc(bytes + alignment + sizeof(Block));
  if (!start) return NULL;
  uintptr_t first = (uintptr_t)start + sizeof(Block);
  void* memory = start + sizeof(Block) + (alignment - first % alignment) % alignment;
  *block_of(memory) = (Block){start, bytes};
  return memory;
}

void rv_platform_free(void* memory) {
  if (memory) free(block_of(memory)->start);
}

size_t rv_platform_block_bytes(void* memory) {
  return block_of(memory)->bytes;
}

void rv_platform_tune_memory(void) {}

void rv_platform_trim_memory(void) {}

static PROCESS_MEMORY_COUNTERS counters(void) {
  PROCESS_MEMORY_COUNTERS found = {.cb = sizeof found};
  GetProcessMemoryInfo(GetCurrentProcess(), &found, sizeof found);
  return found;
}

size_t rv_platform_resident(void) {
  return counters().WorkingSetSize;
}

size_t rv_platform_peak_resident(void) {
  return counters().PeakWorkingSetSize;
}

size_t rv_platform_physical_memory(void) {
  MEMORYSTATUSEX status = {.dwLength = sizeof status};
  return GlobalMemoryStatusEx(&status) ? (size_t)status.ullTotalPhys : 0;
}

size_t rv_platform_allowed_memory(void) {
  size_t bytes = rv_platform_physical_memory();
  return bytes ? bytes : SIZE_MAX;
}

//---------------------------------------------------------------------------------------------- locale

// The locale of the thread alone is changed. `former` is its name.
RvNumberLocale rv_platform_locale_enter(void) {
  int former_mode = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE);
  const char* name = setlocale(LC_NUMERIC, NULL);
  RvNumberLocale locale = {.made = (void*)(intptr_t)former_mode, .former = name ? _strdup(name) : NULL};
  if (locale.former) setlocale(LC_NUMERIC, "C");
  return locale;
}

void rv_platform_locale_leave(RvNumberLocale locale) {
  if (locale.former) setlocale(LC_NUMERIC, locale.former);
  free(locale.former);
  if ((intptr_t)locale.made > 0) _configthreadlocale((int)(intptr_t)locale.made);
}

#endif
