! A model in small: a runner that computes and a writer that writes what was computed, slice by slice,
! into chunks of a chosen size. After "NetCDF write performance: Chunking, slicing, openmp" (2020).
!
!   runner_writer N CHUNK SLICE [STEPS [SECONDS [FILE]]]
!
! N values; CHUNK of them in a chunk, 0: no word about chunks; SLICE of them in a call; STEPS of the
! model; SECONDS that the runner computes in each. Built with OpenMP, a step is computed while the
! step before is written.
!
! One source for both libraries:
!
!   gfortran runner_writer.F90 -lnetcdff              netcdf-fortran
!   gfortran -DUSE_FRAZIL runner_writer.F90 ...       frazil (docs/fortran.md)
!
! Three things differ from the published program:
! - Its slices x(i:i+slice) held one value more than was written, and the last one read beyond the
!   end of x. Here a slice ends with x.
! - Its sections shared one x: the runner deallocated and filled it while the writer was reading it.
!   Here the runner fills one of two arrays while the writer reads the other.
! - Its values were all 1. Here they vary, for a file of equal values is no task to write.
module runner_and_writer
#ifdef USE_FRAZIL
  use frazil_netcdf
#else
  use netcdf
#endif
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  private
  public :: runner, writer

  interface
    function usleep(microseconds) bind(C) result(status)
      import :: c_int
      integer(c_int), value :: microseconds
      integer(c_int) :: status
    end function usleep
  end interface

contains

  ! Stands for a model's physics.
  subroutine runner(x, step, seconds)
    real, intent(out) :: x(:)
    integer, intent(in) :: step
    real, intent(in) :: seconds
    integer :: i, status

    do i = 1, size(x)
      x(i) = 280.0 + step + 10.0*sin(0.001*i) + 0.1*sin(1.7*i)
    end do
    status = usleep(nint(seconds*1.0e6))
  end subroutine runner

  subroutine writer(path, x, chunk, slice)
    character(len=*), intent(in) :: path
    real, intent(in) :: x(:)
    integer, intent(in) :: chunk, slice
    integer :: ncid, x_dimension, y_dimension, x_variable, y_variable, i, last
    real, allocatable :: y(:)

    allocate (y(size(x)))
    y = x - 273.15
    call check(nf90_create(path, NF90_NETCDF4, ncid))
    call check(nf90_def_dim(ncid, 'x', size(x), x_dimension))
    call check(nf90_def_dim(ncid, 'y', NF90_UNLIMITED, y_dimension))
    call check(nf90_def_var(ncid, 'xdata', NF90_REAL, x_dimension, x_variable))
    call check(nf90_def_var(ncid, 'ydata', NF90_REAL, y_dimension, y_variable))
    if (chunk > 0) then
      call check(nf90_def_var_chunking(ncid, x_variable, NF90_CHUNKED, (/chunk/)))
      call check(nf90_def_var_chunking(ncid, y_variable, NF90_CHUNKED, (/chunk/)))
    end if
    call check(nf90_enddef(ncid))
    do i = 1, size(x), slice
      last = min(i + slice - 1, size(x))
      call check(nf90_put_var(ncid, x_variable, x(i:last), start=(/i/), count=(/last - i + 1/)))
      call check(nf90_put_var(ncid, y_variable, y(i:last), start=(/i/), count=(/last - i + 1/)))
    end do
    call check(nf90_close(ncid))
  end subroutine writer

  subroutine check(status)
    integer, intent(in) :: status

    if (status == NF90_NOERR) return
    write (error_unit, '(a)') trim(nf90_strerror(status))
    error stop 1
  end subroutine check
end module runner_and_writer

program runner_writer
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use runner_and_writer
  implicit none
  integer :: n, chunk, slice, steps, step, filled, free
  real :: seconds
  real, allocatable :: x(:, :)
  character(len=1024) :: path
  integer(int64) :: begin, end, rate

  n = integer_argument(1, 300000)
  chunk = integer_argument(2, 0)
  slice = integer_argument(3, 1)
  steps = integer_argument(4, 1)
  seconds = real_argument(5, 1.0)
  path = 'testfile.nc'
  if (command_argument_count() >= 6) call get_command_argument(6, path)
  allocate (x(n, 2))

  call system_clock(begin, rate)
  filled = 2
  do step = 1, steps + 1
    free = 3 - filled
    ! The runner is one step ahead; it and the writer never touch the same half of x.
    !$omp parallel sections num_threads(2)
    !$omp section
    if (step <= steps) call runner(x(:, free), step, seconds)
    !$omp section
    if (step > 1) call writer(trim(path), x(:, filled), chunk, slice)
    !$omp end parallel sections
    filled = free
  end do
  call system_clock(end)
  print '(a, i0, a, i0, a, i0, a, f0.4)', 'n ', n, ' chunk ', chunk, ' slice ', slice, &
    ' seconds_per_step ', real(end - begin, real64)/rate/steps

contains

  integer function integer_argument(position, otherwise) result(value)
    integer, intent(in) :: position, otherwise
    character(len=32) :: text

    value = otherwise
    if (command_argument_count() < position) return
    call get_command_argument(position, text)
    read (text, *) value
  end function integer_argument

  real function real_argument(position, otherwise) result(value)
    integer, intent(in) :: position
    real, intent(in) :: otherwise
    character(len=32) :: text

    value = otherwise
    if (command_argument_count() < position) return
    call get_command_argument(position, text)
    read (text, *) value
  end function real_argument
end program runner_writer
